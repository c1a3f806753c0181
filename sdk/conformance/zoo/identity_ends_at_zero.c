/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A name ends at its first zero byte.
 * kind: identity
 * fails: identity-names-whole
 */
#define ZOO_SLOT                                                           \
  {                                                                        \
    const char *end = (const char *)memchr(wanted.data, 0, wanted.length); \
    if (end != NULL) wanted.length = (uint64_t)(end - wanted.data);        \
  }

#include "zoo.h"
