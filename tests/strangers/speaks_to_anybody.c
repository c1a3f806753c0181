/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Writes to each descriptor that there is.
 */
#include <sys/socket.h>
#define ZOO_SLOT                                                                         \
  if (++self->calls == 4) {                                                              \
    for (int fd = 3; fd < 1024; ++fd) send(fd, "hello", 5, MSG_DONTWAIT | MSG_NOSIGNAL); \
  }

#include "zoo.h"
