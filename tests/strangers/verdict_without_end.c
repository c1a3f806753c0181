/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its verdicts are none.
 * kind: predicate
 */
#define ZOO_VERDICT 255

#include "zoo.h"
