/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Writes before the first key.
 * fails: output-bounds, structs-larger, structs-smaller
 * kind: queue-sort
 */
#define ZOO_SLOT_END out->keys[-1] = 7;

#include "zoo.h"
