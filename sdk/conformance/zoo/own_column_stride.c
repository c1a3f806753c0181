/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes columns to be as large as when it was built.
 * fails: structs-larger
 */
#define ZOO_COLUMNS                                                    \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.free")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.total")},
#define ZOO_KEY (ZOO_GOOD_KEY + (uint64_t)zoo_total(in, i))
#define ZOO_BEFORE_KEYS                                                                                            \
  static int64_t zoo_total(const tenon_batch *in, uint32_t i) {                                                    \
    const tenon_column *c = &in->columns[1];                                                                       \
    if ((uint64_t)c->base < 65536 || c->kind != TENON_COLUMN_RESOURCES || in->type_count == 0) return 1;           \
    if ((*(const uint64_t *)(const void *)((const char *)c->present + c->present_stride * in->items[i]) & 1) == 0) \
      return 0;                                                                                                    \
    return *(const int64_t *)(const void *)((const char *)c->base + c->item_stride * in->items[i]);                \
  }

#include "zoo.h"
