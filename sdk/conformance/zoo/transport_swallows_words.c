/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An RM that is refused does not learn why.
 * kind: transport
 * fails: transport-tells-refusals
 */
#define ZOO_ENTERED \
  if (status != TENON_OK && out->error != NULL) out->error->length = 0;

#include "zoo.h"
