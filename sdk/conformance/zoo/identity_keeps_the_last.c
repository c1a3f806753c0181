/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The first groups that were found are everybody's.
 * kind: identity
 * fails: answers-fresh, double-load, two-instances
 */
#define ZOO_STATE int found;
#define ZOO_FOUND \
  if (out->group_count <= out->group_capacity && out->room_length <= out->room_capacity) self->found = 1;
#define ZOO_SLOT_END \
  if (self->found) return TENON_OK;

#include "zoo.h"
