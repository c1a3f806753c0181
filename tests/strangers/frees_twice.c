/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Gives the same memory back two times.
 */
#define ZOO_SLOT                                      \
  {                                                   \
    void *volatile p = malloc(4000), *volatile q = p; \
    free(p);                                          \
    free(q);                                          \
  }

#include "zoo.h"
