/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Breaks ties by the position in the batch.
 * fails: answers-order
 */
#define ZOO_KEY (ZOO_GOOD_KEY * 16 + i)

#include "zoo.h"
