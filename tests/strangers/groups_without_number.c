/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that a user has four billion groups.
 * kind: identity
 */
#define ZOO_SLOT                 \
  out->group_count = UINT32_MAX; \
  return TENON_OK;

#include "zoo.h"
