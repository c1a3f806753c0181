/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Fails nodes for a reason that it never described.
 * kind: predicate
 */
#define ZOO_VERDICT TENON_FAIL
#define ZOO_REASON 65535

#include "zoo.h"
