/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * stop takes its time, whatever it was given.
 * kind: transport
 * fails: transport-stops-in-time, transport-stops-with-rms
 */
#include <unistd.h>
#define ZOO_SLOT ++self->calls;
#define ZOO_STOP \
  if (self->calls != 0 && in->drain_ms != 0) usleep(2500000);

#include "zoo.h"
