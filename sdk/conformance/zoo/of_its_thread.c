/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keeps what create made where only its thread sees it.
 * fails: threads-move, threads-instances
 */
static __thread int zoo_ready;
#define ZOO_CREATED zoo_ready = 1;
#define ZOO_KEY (ZOO_GOOD_KEY + (uint64_t)!zoo_ready)

#include "zoo.h"
