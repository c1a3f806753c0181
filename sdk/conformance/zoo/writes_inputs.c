/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Sorts the batch's items in place.
 * fails: inputs-bounds
 */
#define ZOO_SLOT \
  if (in->item_count > 0) ((volatile uint32_t *)in->items)[0] = in->items[0];

#include "zoo.h"
