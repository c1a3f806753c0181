/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Fails nodes and does not say why.
 * fails: reasons-present
 * kind: predicate
 */
#define ZOO_REASON 0

#include "zoo.h"
