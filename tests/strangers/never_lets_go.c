/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Lets no application have anything, ever.
 * kind: app-sort
 */
#define ZOO_SLOT \
  for (i = 0; i < in->item_count; ++i) out->not_before_ms[i] = TENON_NOT_NOW;

#include "zoo.h"
