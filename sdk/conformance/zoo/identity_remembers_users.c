/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Users that are not there are remembered for ever.
 * kind: identity
 * fails: identity-keeps-no-users, leak-calls
 */
#define ZOO_SLOT_END                                 \
  {                                                  \
    char *kept = (char *)malloc(wanted.length + 16); \
    memcpy(kept, wanted.data, wanted.length);        \
    __asm__ volatile("" : : "r"(kept) : "memory");   \
  }

#include "zoo.h"
