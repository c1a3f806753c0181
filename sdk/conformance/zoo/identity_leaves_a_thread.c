/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The first of its users that has no group starts a thread that waits for ever.
 * kind: identity
 * fails: identity-ends-threads
 */
#include <unistd.h>
#define ZOO_STATE int started;
#define ZOO_FOUND                                  \
  if (user[0] == 'b' && !self->started) {          \
    pthread_t thread;                              \
    self->started = 1;                             \
    pthread_create(&thread, NULL, zoo_wait, NULL); \
    pthread_detach(thread);                        \
  }
#define ZOO_BEFORE_RESOLVE              \
  static void *zoo_wait(void *unused) { \
    for (;;) pause();                   \
    return unused;                      \
  }

#include "zoo.h"
