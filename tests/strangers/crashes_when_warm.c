/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Answers twenty times, then writes to no address.
 */
#define ZOO_SLOT \
  if (++self->calls > 20) *(volatile int *)8 = 1;

#include "zoo.h"
