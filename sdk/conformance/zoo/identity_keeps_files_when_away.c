/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Each try to reach the source leaves a descriptor.
 * kind: identity
 * fails: identity-away
 */
#include <fcntl.h>
#define ZOO_AWAY                       \
  (void)!open("/dev/null", O_RDONLY);  \
  zoo_say(out->error, "cannot reach"); \
  return TENON_RETRY;

#include "zoo.h"
