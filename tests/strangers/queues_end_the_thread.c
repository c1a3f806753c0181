/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Sleeps for an hour at the tenth question.
 * kind: queue-sort
 */
#include <unistd.h>
#define ZOO_SLOT \
  if (++self->calls == 10) sleep(3600);

#include "zoo.h"
