/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Leaves the process no descriptor to open.
 */
#include <sys/resource.h>
#define ZOO_SLOT                       \
  if (++self->calls == 4) {            \
    const struct rlimit none = {0, 0}; \
    setrlimit(RLIMIT_NOFILE, &none);   \
  }

#include "zoo.h"
