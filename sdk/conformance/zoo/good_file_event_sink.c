/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good event sink whose records outlive it.
 * kind: event-sink
 */
#define _GNU_SOURCE
#include "zoo_event_file.h"
