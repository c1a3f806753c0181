/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Ends the process past the C library, with the status of success.
 */
#include <sys/syscall.h>
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls > 3) syscall(SYS_exit_group, 0);

#include "zoo.h"
