/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes the wanted zone for a text that ends with a zero.
 * fails: inputs-bounds
 * kind: predicate
 */
#include "tenon/abi/module.h"
static volatile uint64_t zoo_seen;
#define ZOO_SLOT \
  if (zoo_text(in, 1, 0).data != NULL) zoo_seen = strlen(zoo_text(in, 1, 0).data);

#include "zoo.h"
