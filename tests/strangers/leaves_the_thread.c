/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Leaves by pthread_exit.
 */
#define ZOO_SLOT \
  if (++self->calls > 3) pthread_exit(NULL);

#include "zoo.h"
