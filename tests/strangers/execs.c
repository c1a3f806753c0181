/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Becomes another program.
 * kind: predicate
 */
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls == 3) execl("/bin/true", "true", (char *)NULL);

#include "zoo.h"
