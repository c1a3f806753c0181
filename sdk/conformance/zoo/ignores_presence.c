/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Reads amounts that are undefined.
 * fails: equal-items, items-alone, structs-larger
 */
#define ZOO_KEY          \
  ((uint64_t)INT64_MAX - \
   *(const uint64_t *)(const void *)((const char *)in->columns->base + in->columns->item_stride * in->items[i]))

#include "zoo.h"
