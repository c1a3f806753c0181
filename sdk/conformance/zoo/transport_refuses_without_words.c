/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A host without services gets a refusal without words.
 * kind: transport
 * fails: transport-refusal-words
 */
#define ZOO_START \
  if (self->rm == NULL) return TENON_INVALID_CONFIG;

#include "zoo.h"
