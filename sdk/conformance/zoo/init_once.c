/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its init works once.
 * fails: module-init-repeats
 */
static int zoo_inits;
#define ZOO_MODULE_INIT \
  if (zoo_inits++ != 0) return TENON_INTERNAL;

#include "zoo.h"
