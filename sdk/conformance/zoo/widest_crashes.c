/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * create crashes with the largest width that its schema accepts.
 * fails: config-fuzz
 */
#define ZOO_CREATE \
  if (zoo_has(in->configuration, ":64")) __builtin_trap();

#include "zoo.h"
