/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keys by lot.
 * fails: answers-repeat
 * kind: app-sort
 */
#include <stdlib.h>
#define ZOO_KEY ((uint64_t)rand())

#include "zoo.h"
