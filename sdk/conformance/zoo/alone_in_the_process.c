/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Finds a copy of itself in the process and gives up.
 * fails: double-load, opening-quiet
 */
#include <stdlib.h>
__attribute__((constructor)) static void zoo_load(void) {
  if (getenv("ZOO_IS_HERE") != NULL) abort();
  setenv("ZOO_IS_HERE", "1", 1);
}

#include "zoo.h"
