/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A key relative to the largest of the batch, without saying that it reads siblings.
 * fails: answers-parts, keys-incremental
 */
#define ZOO_SLOT        \
  int64_t zoo_most = 0; \
  for (i = 0; i < in->item_count; ++i) zoo_most = zoo_amount(in, 0, i) > zoo_most ? zoo_amount(in, 0, i) : zoo_most;
#define ZOO_KEY ((uint64_t)(zoo_most - amount))

#include "zoo.h"
