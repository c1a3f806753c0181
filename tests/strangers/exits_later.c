/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it ends the process a while after the call.
 */
#include <unistd.h>
static void *later(void *unused) {
  usleep(50000);
  exit(0);
  return unused;
}
#define ZOO_SLOT                                \
  if (++self->calls == 4) {                     \
    pthread_t thread;                           \
    pthread_create(&thread, NULL, later, NULL); \
  }

#include "zoo.h"
