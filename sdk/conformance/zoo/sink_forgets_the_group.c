/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The group of a record is lost.
 * kind: event-sink
 * fails: sink-gives-back, sink-borrows, sink-odd-texts, sink-starts-again, sink-any-thread
 */
#define ZOO_KEPT copy.group.length = 0;

#include "zoo.h"
