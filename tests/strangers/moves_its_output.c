/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Answers in memory of its own, and has the output point there.
 */
#define ZOO_SLOT out->keys = (uint64_t *)calloc(in->item_count, 8 * out->key_words);

#include "zoo.h"
