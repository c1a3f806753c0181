/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Forbids its thread all system calls but read, write and exit.
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#define ZOO_SLOT \
  if (++self->calls > 3) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);

#include "zoo.h"
