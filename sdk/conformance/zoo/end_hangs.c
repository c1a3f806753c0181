/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Waits at the end of the process for what never comes.
 * fails: process-ends
 */
#include <unistd.h>
__attribute__((destructor)) static void zoo_end(void) {
  for (;;) pause();
}

#include "zoo.h"
