/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys prints a line.
 * fails: quiet
 */
#include <stdio.h>
#define ZOO_SLOT printf("keys of %u items\n", in->item_count);

#include "zoo.h"
