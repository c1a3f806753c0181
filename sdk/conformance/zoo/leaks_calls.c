/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keeps memory in every call.
 * fails: leak-calls, leak-instances
 */
#include <stdlib.h>
static void *volatile zoo_kept;
#define ZOO_SLOT zoo_kept = malloc(64);

#include "zoo.h"
