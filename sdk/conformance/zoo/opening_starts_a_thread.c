/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A constructor starts a thread.
 * fails: opening-quiet
 */
#include <pthread.h>
#include <unistd.h>
static void *zoo_wait(void *unused) {
  for (;;) pause();
  return unused;
}
__attribute__((constructor)) static void zoo_load(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, zoo_wait, NULL);
}

#include "zoo.h"
