/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its instance cannot be destroyed.
 */
#include <unistd.h>
#define ZOO_DESTROY \
  for (;;) pause();

#include "zoo.h"
