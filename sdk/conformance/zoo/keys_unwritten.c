/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Leaves the last word of a key as it was.
 * fails: answers-repeat
 */
#define ZOO_KEY_WORDS 2
#define ZOO_KEY (word == 1 ? out->keys[i * 2 + 1] : ZOO_GOOD_KEY)

#include "zoo.h"
