/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Measures against the first amount that the library ever saw.
 * fails: double-load
 */
#include "tenon/abi/module.h"
static int64_t zoo_first = -1;
#define ZOO_KEY (zoo_first = zoo_first < 0 ? amount : zoo_first, ZOO_GOOD_KEY + (uint64_t)zoo_first / 1000)

#include "zoo.h"
