/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Breaks ties by the number of the row.
 * fails: equal-items, items-alone
 */
#define ZOO_KEY (ZOO_GOOD_KEY * 16 + in->items[i] % 16)

#include "zoo.h"
