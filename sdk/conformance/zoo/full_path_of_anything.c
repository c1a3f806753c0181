/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Calls every name a full path.
 * fails: place-names-sound
 * kind: placement-rule
 */
#define ZOO_SLOT_END out->qualified = 1;

#include "zoo.h"
