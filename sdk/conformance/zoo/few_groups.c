/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has room for a thousand groups.
 * fails: place-deep-trees
 * kind: placement-rule
 */
#include <stdlib.h>
#define ZOO_SLOT \
  if (in->group_count > 1000) abort();

#include "zoo.h"
