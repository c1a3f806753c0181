/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says of a node that is full that nothing helps.
 * fails: unresolvable-true
 * kind: predicate
 */
#define ZOO_COLUMNS                                                              \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.attr:zone")},      \
      {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("ask.tag:zone")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.free")},
#define ZOO_FULL                                                                          \
  (in->type_count > 0 && zoo_column(in, 2)->base != NULL &&                               \
   (*(const uint64_t *)(const void *)((const char *)zoo_column(in, 2)->present +          \
                                      zoo_column(in, 2)->present_stride * in->items[i]) & \
    1) != 0 &&                                                                            \
   *(const int64_t *)(const void *)((const char *)zoo_column(in, 2)->base +               \
                                    zoo_column(in, 2)->item_stride * in->items[i]) < 20000)
#define ZOO_VERDICT (ZOO_FULL ? TENON_FAIL_UNRESOLVABLE : TENON_PASS)
#define ZOO_SIGNATURE NULL
#define ZOO_FILTER_PREFIX NULL

#include "zoo.h"
