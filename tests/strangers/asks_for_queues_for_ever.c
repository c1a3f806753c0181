/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks for a queue until it is there.
 * kind: placement-rule
 */
#define ZOO_SLOT                                                                      \
  {                                                                                   \
    tenon_find_queue_in find = {sizeof find, 0, ZOO_TEXT("root.nowhere"), in->world}; \
    tenon_find_queue_out found = {sizeof found};                                      \
    do in->queues->find(in->queues, &find, &found);                                   \
    while (!found.exists);                                                            \
  }

#include "zoo.h"
