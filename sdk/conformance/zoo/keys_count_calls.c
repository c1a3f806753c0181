/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A key that counts calls.
 * fails: answers-repeat
 */
#define ZOO_KEY (ZOO_GOOD_KEY + self->calls++)

#include "zoo.h"
