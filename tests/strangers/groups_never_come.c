/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Waits for a directory that never answers.
 * kind: identity
 */
#define ZOO_SLOT \
  for (;;) pause();

#include "zoo.h"
