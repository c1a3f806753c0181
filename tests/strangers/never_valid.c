/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its keys have not been valid since time began.
 * kind: app-sort
 */
#define ZOO_SLOT \
  for (i = 0; i < in->item_count; ++i) out->valid_until_ms[i] = INT64_MIN;

#include "zoo.h"
