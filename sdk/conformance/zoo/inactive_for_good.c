/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Cannot be activated twice.
 * fails: activate-again
 */
#define ZOO_STATE int was;
#define ZOO_ACTIVATE \
  if (self->was++ != 0) return TENON_INTERNAL;

#include "zoo.h"
