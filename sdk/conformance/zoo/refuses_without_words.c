/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * create refuses a width that its schema accepts, and says nothing.
 * fails: config-fuzz
 */
#define ZOO_CREATE \
  if (zoo_has(in->configuration, ":64")) return TENON_INVALID_CONFIG;

#include "zoo.h"
