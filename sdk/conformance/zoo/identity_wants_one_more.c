/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It wants room for each group when it comes to it, and never says how many there are.
 * kind: identity
 * fails: identity-room, output-bounds, structs-larger
 */
#define ZOO_FOUND                                                                         \
  if (out->group_count > out->group_capacity) out->group_count = out->group_capacity + 1; \
  if (out->room_length > out->room_capacity) out->room_length = out->room_capacity + 1;

#include "zoo.h"
