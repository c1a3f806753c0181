/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A destructor crashes at the end of the process.
 * fails: process-ends
 */
__attribute__((destructor)) static void zoo_end(void) { __builtin_trap(); }

#include "zoo.h"
