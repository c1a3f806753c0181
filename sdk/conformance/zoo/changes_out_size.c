/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Sets the size of its output.
 * fails: output-bounds, structs-larger, structs-smaller
 */
#define ZOO_SLOT_END out->size = 8;

#include "zoo.h"
