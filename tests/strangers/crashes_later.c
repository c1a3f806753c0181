/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it crashes a while after the call.
 */
#include <unistd.h>
static void *later(void *unused) {
  usleep(50000);
  *(volatile int *)8 = 1;
  return unused;
}
#define ZOO_SLOT                                \
  if (++self->calls == 4) {                     \
    pthread_t thread;                           \
    pthread_create(&thread, NULL, later, NULL); \
  }

#include "zoo.h"
