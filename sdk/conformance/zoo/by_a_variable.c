/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A verdict that an environment variable decides.
 * fails: answers-outside
 * kind: predicate
 */
#include <stdlib.h>
#define ZOO_VERDICT (getenv("ZOO_ZONE") == NULL || zoo_fits(zone, wanted) ? ZOO_GOOD_VERDICT : TENON_FAIL)

#include "zoo.h"
