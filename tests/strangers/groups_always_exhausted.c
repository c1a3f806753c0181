/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Wants more room, whatever it gets.
 * kind: identity
 */
#define ZOO_SLOT                              \
  out->group_count = out->group_capacity + 1; \
  out->room_length = out->room_capacity * 2;  \
  return TENON_EXHAUSTED;

#include "zoo.h"
