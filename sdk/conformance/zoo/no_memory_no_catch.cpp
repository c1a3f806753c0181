/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Allocates in keys and catches nothing.
 * fails: exception-no-memory
 */
#include <vector>
#define ZOO_SLOT std::vector<uint64_t> zoo_room(in->item_count + 1);

#include "zoo.h"
