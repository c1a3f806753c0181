/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What one instance was asked last changes what the other answers.
 * fails: answers-fresh, config-spelling, host-without-services, keys-incremental, threads-move, two-instances
 */
static void *zoo_last;
#define ZOO_SLOT                                                           \
  const uint64_t zoo_other = zoo_last != NULL && zoo_last != (void *)self; \
  zoo_last = (void *)self;
#define ZOO_KEY (ZOO_GOOD_KEY + zoo_other)

#include "zoo.h"
