/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Ends the thread that calls it, and nothing else.
 */
#include <sys/syscall.h>
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls > 3) syscall(SYS_exit, 0);

#include "zoo.h"
