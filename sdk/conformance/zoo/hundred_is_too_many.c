/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has room for sixteen instances, ever.
 * fails: config-fuzz, create-hundred
 */
static int zoo_made;
#define ZOO_CREATE \
  if (++zoo_made > 16) return TENON_EXHAUSTED;

#include "zoo.h"
