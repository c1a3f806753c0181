/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it goes on when the instance is gone.
 * kind: event-sink
 * fails: sink-ends-threads
 */
#include <pthread.h>
#include <unistd.h>
static void *zoo_waits(void *nothing) {
  for (;;) pause();
  return nothing;
}
#define ZOO_STATE int started;
#define ZOO_SLOT                                                                     \
  if (!self->started) {                                                              \
    pthread_t thread;                                                                \
    self->started = 1;                                                               \
    if (pthread_create(&thread, NULL, zoo_waits, NULL) == 0) pthread_detach(thread); \
  }

#include "zoo.h"
