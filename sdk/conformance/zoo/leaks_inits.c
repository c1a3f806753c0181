/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The module's init keeps memory for good.
 * fails: leak-module
 */
#include <stdlib.h>
static void *volatile zoo_kept;
#define ZOO_MODULE_INIT zoo_kept = malloc(64);

#include "zoo.h"
