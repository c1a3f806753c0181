/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good application order that reads what its queue is guaranteed, a column of the context.
 * kind: app-sort
 */
#define ZOO_COLUMNS                                                           \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("app.submitted_ms")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("queue.guaranteed")},
#define ZOO_KEY (ZOO_GOOD_KEY / 2 + (uint64_t)zoo_amount(in, 1, i) / 4)

#include "zoo.h"
