/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The next page leaves out one record.
 * kind: event-sink
 * fails: sink-pages
 */
#define ZOO_NEXT i + 1

#include "zoo.h"
