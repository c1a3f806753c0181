/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Remembers every amount that it saw, in room that doubles.
 * fails: leak-calls, leak-instances
 */
#include <stdlib.h>
#define ZOO_STATE \
  int64_t *seen;  \
  uint64_t count, room;
#define ZOO_SLOT                                                                    \
  for (i = 0; i < in->item_count; ++i) {                                            \
    if (self->count == self->room) {                                                \
      self->room = self->room == 0 ? 16 : self->room * 2;                           \
      self->seen = (int64_t *)realloc(self->seen, self->room * sizeof *self->seen); \
    }                                                                               \
    self->seen[self->count++] = zoo_amount(in, 0, i);                               \
  }

#include "zoo.h"
