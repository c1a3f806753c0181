/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Asks lose their task group.
 * kind: transport
 * fails: transport-requests-whole
 */
#define ZOO_REQUEST                                         \
  if (message->type == TENON_RM_ASK) {                      \
    ask = *(const tenon_rm_ask *)(const void *)message;     \
    ask.task_group.length = 0;                              \
    message = (const tenon_rm_message *)(const void *)&ask; \
  }

#include "zoo.h"
