/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Sends SIGABRT to its process past the C library.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls > 3) syscall(SYS_kill, getpid(), SIGABRT);

#include "zoo.h"
