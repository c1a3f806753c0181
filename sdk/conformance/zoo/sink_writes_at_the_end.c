/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Batches lie in the memory of the process until the sink is deactivated.
 * kind: event-sink
 * fails: sink-outlives-kill
 */
#define _GNU_SOURCE
#define ZOO_SLOT_END
#include "zoo_event_file.h"
