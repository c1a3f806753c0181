/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Orders two items the other way round than many.
 * fails: keys-total-order, answers-parts
 */
#define ZOO_KEY (in->item_count == 2 ? (uint64_t)amount : ZOO_GOOD_KEY)

#include "zoo.h"
