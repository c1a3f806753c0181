/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A constructor never ends.
 * fails: library-opens
 */
#include <unistd.h>
__attribute__((constructor)) static void zoo_load(void) {
  for (;;) pause();
}

#include "zoo.h"
