/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keeps the first key that it gave a row.
 * fails: answers-fresh, double-load, items-alone, keys-incremental, two-instances
 */
#define ZOO_STATE uint64_t kept[4096];
#define ZOO_KEY                                                                            \
  (self->kept[in->items[i] % 4096] == 0 ? (self->kept[in->items[i] % 4096] = ZOO_GOOD_KEY) \
                                        : self->kept[in->items[i] % 4096])

#include "zoo.h"
