/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Allocations lose the node on which they run.
 * kind: transport
 * fails: transport-answers-whole
 */
#define ZOO_ANSWER                                                    \
  if (message->type == TENON_RM_ALLOCATION) {                         \
    allocation = *(const tenon_rm_allocation *)(const void *)message; \
    allocation.node.length = 0;                                       \
    message = (const tenon_rm_message *)(const void *)&allocation;    \
  }

#include "zoo.h"
