/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Compares only the beginning of an interface id.
 * fails: unknown-interfaces
 */
#include <string.h>
#define ZOO_GET_FACTORY                                                                              \
  if (in->interface_id.length > 17 && memcmp(in->interface_id.data, "tenon.node-sort/1", 17) == 0) { \
    out->factory = &zoo_factory;                                                                     \
    return TENON_OK;                                                                                 \
  }

#include "zoo.h"
