/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A constructor crashes.
 * fails: library-opens
 */
__attribute__((constructor)) static void zoo_load(void) { __builtin_trap(); }

#include "zoo.h"
