/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Of a name it reads on to a zero byte.
 * kind: identity
 * fails: inputs-bounds
 */
#define ZOO_SLOT \
  if (strlen(wanted.data) == 1000) return TENON_DECLINED;

#include "zoo.h"
