/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Names end with a zero byte, for which it wants no room.
 * kind: identity
 * fails: identity-room, output-bounds, structs-larger
 */
#define ZOO_FOUND \
  if (out->room_length <= out->room_capacity) out->room[out->room_length] = 0;

#include "zoo.h"
