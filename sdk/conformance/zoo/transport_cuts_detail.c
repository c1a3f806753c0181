/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Detail ends at its first zero byte.
 * kind: transport
 * fails: transport-answers-whole, transport-detail-comes-back
 */
#define ZOO_ANSWER                                                                                  \
  if (message->type == TENON_RM_ALLOCATION) {                                                       \
    allocation = *(const tenon_rm_allocation *)(const void *)message;                               \
    if (allocation.detail.length != 0)                                                              \
      allocation.detail.length = strnlen(allocation.detail.data, (size_t)allocation.detail.length); \
    message = (const tenon_rm_message *)(const void *)&allocation;                                  \
  }

#include "zoo.h"
