/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * query does not mind that the taker has enough.
 * kind: event-sink
 * fails: sink-stops
 */
#define ZOO_TAKEN(status) ((void)(status), TENON_OK)

#include "zoo.h"
