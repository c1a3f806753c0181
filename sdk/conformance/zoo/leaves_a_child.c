/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys starts a process and leaves it.
 * fails: surroundings-kept
 */
#include <unistd.h>
#define ZOO_SLOT            \
  if (self->calls++ == 0) { \
    if (fork() == 0)        \
      for (;;) pause();     \
  }

#include "zoo.h"
