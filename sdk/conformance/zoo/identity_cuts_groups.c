/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Groups for which there is no room are left out, and the answer is said to be whole.
 * kind: identity
 * fails: identity-room, output-bounds, structs-larger
 */
#define ZOO_FOUND                                                                     \
  if (out->group_count > out->group_capacity) out->group_count = out->group_capacity; \
  if (out->room_length > out->room_capacity) {                                        \
    out->group_count = 0;                                                             \
    out->room_length = 0;                                                             \
  }

#include "zoo.h"
