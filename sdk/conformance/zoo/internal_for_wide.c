/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * create says INTERNAL where it means the configuration.
 * fails: config-fuzz
 */
#define ZOO_CREATE \
  if (zoo_has(in->configuration, ":64")) return TENON_INTERNAL;

#include "zoo.h"
