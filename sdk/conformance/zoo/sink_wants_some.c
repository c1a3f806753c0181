/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * emit gives a fault for a batch without records.
 * kind: event-sink
 * fails: sink-takes-batches
 */
#define ZOO_SLOT                                                  \
  if (in->record_count == 0) {                                    \
    zoo_say(out->error, "there is nothing in this batch at all"); \
    return TENON_INTERNAL;                                        \
  }

#include "zoo.h"
