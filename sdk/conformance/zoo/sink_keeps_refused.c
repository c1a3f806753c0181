/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A batch that the file has no room for stays where queries find it, and comes again.
 * kind: event-sink
 * fails: sink-full-disk
 */
#define _GNU_SOURCE
#define ZOO_FULL                               \
  zoo_say(out->error, "the file cannot grow"); \
  return TENON_RETRY;
#include "zoo_event_file.h"
