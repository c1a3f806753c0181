/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has a group's name point where nothing is.
 * kind: identity
 */
#define ZOO_SLOT                                         \
  {                                                      \
    const tenon_text away = {(const char *)64, 16};      \
    if (out->group_capacity != 0) out->groups[0] = away; \
    out->group_count = 1;                                \
    out->room_length = 16;                               \
    return TENON_OK;                                     \
  }

#include "zoo.h"
