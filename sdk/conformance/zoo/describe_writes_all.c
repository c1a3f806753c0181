/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * describe writes fields that an earlier host does not have.
 * fails: structs-smaller
 */
#define ZOO_DESCRIBE                 \
  {                                  \
    const uint32_t size = out->size; \
    memcpy(out, &d, sizeof d);       \
    out->size = size;                \
  }

#include "zoo.h"
