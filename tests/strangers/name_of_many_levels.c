/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Names a queue that lies two thousand levels deep.
 * kind: placement-rule
 */
#define ZOO_SLOT                                                                 \
  for (out->name_length = 0; out->name_length + 2 < 4000; out->name_length += 2) \
    memcpy(out->name + out->name_length, "a.", 2);                               \
  out->name[out->name_length++] = 'a';                                           \
  return TENON_OK;

#include "zoo.h"
