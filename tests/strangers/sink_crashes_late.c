/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes ten batches, then crashes.
 * kind: event-sink
 */
#define ZOO_SLOT \
  if (++self->calls > 10) abort();

#include "zoo.h"
