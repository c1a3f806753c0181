/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It works on the thread alone that made it.
 * kind: event-sink
 * fails: sink-any-thread
 */
#include <sys/types.h>
#include <unistd.h>
#define ZOO_STATE pid_t own;
#define ZOO_CREATED self->own = gettid();
#define ZOO_SLOT                                   \
  if (self->own != gettid()) {                     \
    zoo_say(out->error, "this is another thread"); \
    return TENON_INTERNAL;                         \
  }

#include "zoo.h"
