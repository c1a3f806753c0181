/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Divides by what is free, as if something always were.
 * fails: extreme-values
 */
#define ZOO_KEY ((uint64_t)(1000000 / (amount / 4 + (amount > (INT64_MAX >> 4) ? -amount / 4 : 1))))

#include "zoo.h"
