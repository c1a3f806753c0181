/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Closes the descriptors of others.
 */
#include <unistd.h>
#define ZOO_SLOT                                 \
  if (++self->calls == 4) {                      \
    for (int fd = 3; fd < 1024; ++fd) close(fd); \
  }

#include "zoo.h"
