/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys never ends.
 * fails: slots-answer
 */
#include <unistd.h>
#define ZOO_SLOT \
  for (;;) pause();

#include "zoo.h"
