/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What the scheduler does not take now is lost.
 * kind: transport
 * fails: transport-requests-again
 */
#define ZOO_SUBMITTED                  \
  if (status == TENON_RETRY) {         \
    out->accepted = in->message_count; \
    status = TENON_OK;                 \
  }

#include "zoo.h"
