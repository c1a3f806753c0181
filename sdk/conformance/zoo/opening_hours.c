/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Verdicts that change with the hour.
 * fails: filter-time, structs-smaller
 * kind: predicate
 */
#define ZOO_VERDICT (in->now_ms / 3600000 % 24 < 12 ? TENON_FAIL : ZOO_GOOD_VERDICT)

#include "zoo.h"
