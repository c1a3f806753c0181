/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A thread of it calls the host once more when stop has returned.
 * kind: transport
 * fails: transport-quiet-after-stop, transport-stops-with-rms
 */
#include <pthread.h>
#include <unistd.h>

#include "tenon/abi/transport.h"
struct zoo_late {
  const tenon_host *host;
  const tenon_host_rm *rm;
};
static void *zoo_calls(void *argument) {
  const tenon_rm_signal_in in = {sizeof in, TENON_RM_LOST, 1};
  const struct zoo_late late = *(struct zoo_late *)argument;
  usleep(50000);
  late.rm->signal(late.host, &in);
  return NULL;
}
#define ZOO_STATE struct zoo_late late;
#define ZOO_STOPPED                                                                       \
  if (self->rm != NULL) {                                                                 \
    static struct zoo_late zoo_late;                                                      \
    pthread_t thread;                                                                     \
    zoo_late.host = self->host, zoo_late.rm = self->rm;                                   \
    if (pthread_create(&thread, NULL, zoo_calls, &zoo_late) == 0) pthread_detach(thread); \
  }

#include "zoo.h"
