/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Each call calls itself until no stack is left.
 */
#include <stdint.h>
static uint64_t deeper(volatile uint64_t *above) {
  volatile uint64_t here[64];
  here[0] = *above + 1;
  return deeper(here) + here[0];
}
#define ZOO_SLOT               \
  {                            \
    volatile uint64_t n = 0;   \
    self->calls += deeper(&n); \
  }

#include "zoo.h"
