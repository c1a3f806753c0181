/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Gives its factory for whatever is asked.
 * fails: unknown-interfaces
 */
#define ZOO_GET_FACTORY        \
  out->factory = &zoo_factory; \
  return TENON_OK;

#include "zoo.h"
