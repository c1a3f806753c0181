/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Passes the first node of a batch that fits, and no other after it.
 * fails: answers-parts
 * kind: predicate
 */
#define ZOO_SLOT int zoo_found = 0;
#define ZOO_VERDICT (zoo_fits(zone, wanted) && in->item_count > 5 ? TENON_PASS : TENON_FAIL)

#include "zoo.h"
