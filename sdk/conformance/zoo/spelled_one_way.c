/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks for its key as text, in one spelling.
 * fails: config-spelling
 */
#define ZOO_CREATE \
  if (!zoo_has(in->configuration, "{\"width\":")) return TENON_INVALID_CONFIG;

#include "zoo.h"
