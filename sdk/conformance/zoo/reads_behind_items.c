/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks at the item behind the last one.
 * fails: inputs-bounds
 */
#include "tenon/abi/module.h"
static volatile uint32_t zoo_seen;
#define ZOO_SLOT zoo_seen = in->items[in->item_count];

#include "zoo.h"
