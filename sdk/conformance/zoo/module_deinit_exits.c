/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The module's deinit ends the process.
 * fails: module-starts
 */
#include <stdlib.h>
#define ZOO_MODULE_DEINIT exit(0);

#include "zoo.h"
