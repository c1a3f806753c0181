/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Answers two times, in two processes.
 */
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls == 4) (void)!fork();

#include "zoo.h"
