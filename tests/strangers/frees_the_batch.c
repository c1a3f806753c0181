/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes what it was lent for its own, and frees it.
 */
#define ZOO_SLOT_END free((void *)(uintptr_t)in->items);

#include "zoo.h"
