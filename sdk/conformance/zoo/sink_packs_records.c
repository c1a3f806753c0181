/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It takes records to lie without gaps.
 * kind: event-sink
 * fails: sink-borrows
 */
#define ZOO_RECORD(in, i) &(in)->records[i]

#include "zoo.h"
