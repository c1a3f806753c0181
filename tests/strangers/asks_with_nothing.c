/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks for no queue, and has no room for the answer.
 * kind: placement-rule
 */
#define ZOO_SLOT in->queues->find(in->queues, NULL, NULL);

#include "zoo.h"
