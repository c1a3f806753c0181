/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread for each node that it is asked about, up to three hundred.
 */
#include <unistd.h>
static void *idle(void *unused) {
  for (;;) pause();
  return unused;
}
#define ZOO_SLOT                                                             \
  for (i = 0; i < in->item_count && self->calls < 300; ++i, ++self->calls) { \
    pthread_t thread;                                                        \
    pthread_create(&thread, NULL, idle, NULL);                               \
  }

#include "zoo.h"
