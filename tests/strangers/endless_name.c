/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that its name is as long as the memory.
 */
#define ZOO_DESCRIBE d.name.length = UINT64_MAX / 2;

#include "zoo.h"
