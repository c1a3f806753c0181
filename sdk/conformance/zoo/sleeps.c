/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Waits for a moment with every item.
 * fails: time-per-item
 */
#include <unistd.h>
#define ZOO_KEY (usleep(in->item_count >= 100 ? 200 : 0), ZOO_GOOD_KEY)

#include "zoo.h"
