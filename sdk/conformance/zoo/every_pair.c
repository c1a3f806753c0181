/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Compares every item with every other.
 * fails: time-per-item
 */
#include "tenon/abi/module.h"
static volatile uint64_t zoo_pairs;
#define ZOO_SLOT                                              \
  {                                                           \
    uint32_t zoo_a, zoo_b;                                    \
    for (zoo_a = 0; zoo_a < in->item_count; ++zoo_a)          \
      for (zoo_b = 0; zoo_b < zoo_a; zoo_b += 4) ++zoo_pairs; \
  }

#include "zoo.h"
