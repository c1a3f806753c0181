/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Looks at the last resource type, though there may be none.
 * fails: empty-batches
 */
static volatile char zoo_seen;
#define ZOO_SLOT zoo_seen = in->types[in->type_count - 1].data[0];

#include "zoo.h"
