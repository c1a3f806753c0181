/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A number is thrown, through the caller.
 */
#define ZOO_SLOT \
  if (++self->calls > 3) throw 42;

#include "zoo.h"
