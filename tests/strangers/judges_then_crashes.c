/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Crashes at the two hundredth node.
 * kind: predicate
 */
#define ZOO_SLOT                 \
  self->calls += in->item_count; \
  if (self->calls > 200) abort();

#include "zoo.h"
