/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A second stop crashes.
 * kind: transport
 * fails: transport-stops-twice
 */
#define ZOO_STOP \
  if (!self->open) self->local->close(self->host, &self->port);

#include "zoo.h"
