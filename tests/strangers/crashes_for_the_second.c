/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * One application is fine, two are not.
 * kind: app-sort
 */
#define ZOO_SLOT \
  if (in->item_count > 1) abort();

#include "zoo.h"
