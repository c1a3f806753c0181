/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What it takes to start it never gives back.
 * kind: transport
 * fails: transport-starts-again
 */
static int zoo_taken;
#define ZOO_START                                   \
  if (self->rm != NULL && zoo_taken++ != 0) {       \
    zoo_say(error, "there is one that is started"); \
    return TENON_INVALID_CONFIG;                    \
  }

#include "zoo.h"
