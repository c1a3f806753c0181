/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Names a queue in bytes that are no text.
 * kind: placement-rule
 */
#define ZOO_SLOT                          \
  memcpy(out->name, "\xff\x00\xfe\n", 4); \
  out->name_length = 4;                   \
  return TENON_OK;

#include "zoo.h"
