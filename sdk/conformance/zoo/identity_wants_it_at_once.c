/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A source that is away when an instance is made is a wrong configuration, it says.
 * kind: identity
 * fails: identity-away
 */
#define ZOO_CREATED                      \
  if (self->away) {                      \
    free(self);                          \
    zoo_say(out->error, "cannot reach"); \
    return TENON_INVALID_CONFIG;         \
  }

#include "zoo.h"
