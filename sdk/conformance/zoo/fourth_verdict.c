/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Gives a verdict that there is not.
 * fails: verdicts-known
 * kind: predicate
 */
#define ZOO_VERDICT (zoo_fits(zone, wanted) ? TENON_PASS : 3)

#include "zoo.h"
