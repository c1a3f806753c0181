/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * destroy relies on what init made.
 * fails: destroy-early
 */
#define ZOO_STATE int *made;
#define ZOO_INIT \
  if (self->made == NULL) self->made = (int *)calloc(4, 4);
#define ZOO_DESTROY  \
  self->made[3] = 1; \
  free(self->made);  \
  free(self);

#include "zoo.h"
