/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Gives INTERNAL for users that it finds odd.
 * fails: place-odd-names
 * kind: placement-rule
 */
#define ZOO_SLOT \
  if (in->user.length > 1 && in->user.data[0] == '.') return TENON_INTERNAL;

#include "zoo.h"
