/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keeps the user's name and looks at it in the next call.
 * fails: inputs-bounds
 * kind: placement-rule
 */
#define ZOO_STATE tenon_text last;
static volatile char zoo_seen;
#define ZOO_SLOT                                             \
  if (self->last.length != 0) zoo_seen = self->last.data[0]; \
  self->last = in->user;

#include "zoo.h"
