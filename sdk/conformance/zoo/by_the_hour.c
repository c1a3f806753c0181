/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Another order at night, by the clock of the machine.
 * fails: answers-outside
 */
#include <time.h>
#define ZOO_KEY (time(NULL) / 3600 % 24 < 8 ? (uint64_t)amount : ZOO_GOOD_KEY)

#include "zoo.h"
