/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It takes nothing any more once it was activated again.
 * kind: event-sink
 * fails: sink-starts-again
 */
#define ZOO_STATE uint32_t activations;
#define ZOO_ACTIVATE ++self->activations;
#define ZOO_SLOT                                    \
  if (self->activations > 1) {                      \
    zoo_say(out->error, "it was deactivated once"); \
    return TENON_INTERNAL;                          \
  }

#include "zoo.h"
