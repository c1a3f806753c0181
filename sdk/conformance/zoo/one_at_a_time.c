/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its instances share what they work with.
 * fails: threads-instances
 */
#include <unistd.h>
static volatile int zoo_busy;
#define ZOO_SLOT                      \
  int zoo_met;                        \
  __sync_fetch_and_add(&zoo_busy, 1); \
  usleep(300);                        \
  zoo_met = zoo_busy > 1;
#define ZOO_KEY (ZOO_GOOD_KEY + (uint64_t)zoo_met)
#define ZOO_SLOT_END __sync_fetch_and_sub(&zoo_busy, 1);

#include "zoo.h"
