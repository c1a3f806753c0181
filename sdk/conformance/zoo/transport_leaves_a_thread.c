/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it goes on after stop.
 * kind: transport
 * fails: transport-ends-threads, transport-keeps-no-memory
 */
#include <pthread.h>
#include <unistd.h>
static void *zoo_waits(void *nothing) {
  for (;;) pause();
  return nothing;
}
#define ZOO_STARTED                                                                  \
  {                                                                                  \
    static pthread_t thread;                                                         \
    if (pthread_create(&thread, NULL, zoo_waits, NULL) == 0) pthread_detach(thread); \
  }

#include "zoo.h"
