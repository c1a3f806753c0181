/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Ends the process with status 0.
 * kind: event-sink
 */
#define ZOO_SLOT \
  if (++self->calls > 10) exit(0);

#include "zoo.h"
