/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The first of several deinits takes everything away.
 * fails: module-init-repeats
 */
static int zoo_gone;
#define ZOO_MODULE_INIT zoo_gone = 0;
#define ZOO_MODULE_DEINIT zoo_gone = 1;
#define ZOO_GET_FACTORY \
  if (zoo_gone) return TENON_UNSUPPORTED;

#include "zoo.h"
