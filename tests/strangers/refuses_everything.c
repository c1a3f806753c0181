/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * No node is good enough.
 * kind: predicate
 */
#define ZOO_VERDICT TENON_FAIL

#include "zoo.h"
