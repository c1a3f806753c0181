/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Linked without a version script, with a function of its own to see.
 * fails: library-exports
 * exports: all
 */
__attribute__((visibility("default"))) int zoo_own_function(void);
int zoo_own_function(void) { return 1; }

#include "zoo.h"
