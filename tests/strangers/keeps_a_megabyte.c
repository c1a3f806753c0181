/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keeps a megabyte of each of its first thousand calls.
 */
#define ZOO_SLOT \
  if (++self->calls <= 1000) memset(malloc(1 << 20), 1, 1 << 20);

#include "zoo.h"
