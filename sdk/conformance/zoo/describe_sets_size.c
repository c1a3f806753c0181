/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * describe writes its own size over the caller's.
 * fails: structs-larger, structs-smaller
 */
#define ZOO_DESCRIBE d.size = sizeof d;

#include "zoo.h"
