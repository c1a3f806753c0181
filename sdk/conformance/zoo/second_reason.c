/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Gives a reason that it does not describe.
 * fails: verdicts-known
 * kind: predicate
 */
#define ZOO_REASON 2

#include "zoo.h"
