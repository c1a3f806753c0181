/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A key that changes with the time, and does not say so.
 * fails: keys-time, structs-smaller
 */
#define ZOO_KEY (ZOO_GOOD_KEY + (uint64_t)(in->now_ms / 3600000))

#include "zoo.h"
