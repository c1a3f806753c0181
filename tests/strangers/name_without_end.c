/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that it wrote more than there is room for.
 * kind: placement-rule
 */
#define ZOO_SLOT_END out->name_length = UINT64_MAX / 2;

#include "zoo.h"
