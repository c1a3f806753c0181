/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A key that changes with the machine's clock.
 * fails: answers-outside
 */
#include <time.h>
#define ZOO_KEY (ZOO_GOOD_KEY + (uint64_t)time(NULL) / 86400)

#include "zoo.h"
