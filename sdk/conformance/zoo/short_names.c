/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Copies the user's name into room for sixty-four.
 * fails: place-odd-names
 * kind: placement-rule
 */
#include <stdlib.h>
#include <string.h>
#define ZOO_SLOT                                  \
  char zoo_room[64];                              \
  if (in->user.length > sizeof zoo_room) abort(); \
  if (in->user.length != 0) memcpy(zoo_room, in->user.data, in->user.length);

#include "zoo.h"
