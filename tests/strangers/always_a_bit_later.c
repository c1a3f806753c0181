/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Lets each application wait for another millisecond, again and again.
 * kind: app-sort
 */
#define ZOO_SLOT \
  for (i = 0; i < in->item_count; ++i) out->not_before_ms[i] = in->now_ms + 1;

#include "zoo.h"
