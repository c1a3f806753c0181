/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes ten batches, then none.
 * kind: event-sink
 */
#include <unistd.h>
#define ZOO_SLOT          \
  if (++self->calls > 10) \
    for (;;) pause();

#include "zoo.h"
