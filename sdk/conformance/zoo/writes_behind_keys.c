/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Writes one key more than there are items.
 * fails: output-bounds, structs-larger, structs-smaller
 */
#define ZOO_SLOT_END out->keys[in->item_count] = 0;

#include "zoo.h"
