/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Asks the queues of an earlier call.
 * kind: placement-rule
 */
#define ZOO_SLOT                                                                 \
  {                                                                              \
    static const tenon_queue_tree *first;                                        \
    tenon_find_queue_in find = {sizeof find, 0, ZOO_TEXT("root.q0"), in->world}; \
    tenon_find_queue_out found = {sizeof found};                                 \
    if (first == NULL) first = in->queues;                                       \
    first->find(first, &find, &found);                                           \
  }

#include "zoo.h"
