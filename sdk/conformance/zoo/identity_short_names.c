/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Users have names of 255 bytes and less, it thinks.
 * kind: identity
 * fails: identity-odd-names
 */
#define ZOO_SLOT                              \
  {                                           \
    char name[256];                           \
    if (wanted.length > sizeof name) abort(); \
    memcpy(name, wanted.data, wanted.length); \
    (void)name;                               \
  }

#include "zoo.h"
