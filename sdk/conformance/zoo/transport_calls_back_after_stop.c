/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it calls an RM back when stop has returned.
 * kind: transport
 * fails: transport-stops-with-rms
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tenon/abi/host_local.h"
static tenon_rm_callbacks zoo_last;
static void *zoo_calls_back(void *nothing) {
  tenon_rm_message message = {sizeof message, TENON_RM_RESYNC};
  const tenon_rm_message *one = &message;
  const tenon_rm_answers_in in = {sizeof in, 0, &one, 1};
  usleep(60000);
  zoo_last.answers(zoo_last.context, &in);
  return nothing;
}
#define ZOO_STOP                                                                          \
  if (in->drain_ms != 0) {                                                                \
    pthread_t thread;                                                                     \
    zoo_last = self->rms[0].callbacks;                                                    \
    if (pthread_create(&thread, NULL, zoo_calls_back, NULL) == 0) pthread_detach(thread); \
  }

#include "zoo.h"
