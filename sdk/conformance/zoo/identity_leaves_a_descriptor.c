/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The first of its users that has no group opens a file that stays open.
 * kind: identity
 * fails: identity-ends-threads
 */
#include <fcntl.h>
#define ZOO_STATE int opened;
#define ZOO_FOUND \
  if (user[0] == 'b' && !self->opened++) (void)!open("/dev/null", O_RDONLY);

#include "zoo.h"
