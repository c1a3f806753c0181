/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An application order that keeps what its queue was guaranteed when it was first asked.
 * kind: app-sort
 * fails: answers-fresh, double-load, two-instances
 */
#define ZOO_COLUMNS                                                           \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("app.submitted_ms")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("queue.guaranteed")},
#define ZOO_STATE \
  int is_kept;    \
  int64_t guaranteed;
#define ZOO_SLOT \
  if (!self->is_kept && in->item_count != 0) self->is_kept = 1, self->guaranteed = zoo_amount(in, 1, 0);
#define ZOO_KEY (ZOO_GOOD_KEY / 2 + (uint64_t)self->guaranteed / 4)

#include "zoo.h"
