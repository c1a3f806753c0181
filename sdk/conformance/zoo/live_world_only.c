/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks queues up in the live world, whatever world it is asked about.
 * fails: place-states
 * kind: placement-rule
 */
#define ZOO_SLOT                                                                          \
  tenon_find_queue_in zoo_in = {sizeof zoo_in, 0, {"root.people", 11}, TENON_WORLD_LIVE}; \
  tenon_find_queue_out zoo_out = {sizeof zoo_out, 0, 0, 0};                               \
  (void)in->queues->find(in->queues, &zoo_in, &zoo_out);

#include "zoo.h"
