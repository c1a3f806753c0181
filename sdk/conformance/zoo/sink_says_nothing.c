/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * emit refuses large batches, and does not say why.
 * kind: event-sink
 * fails: sink-takes-batches
 */
#define ZOO_SLOT \
  if (in->record_count > 5000) return TENON_RETRY;

#include "zoo.h"
