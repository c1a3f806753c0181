/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that its keys have more words than it described.
 */
#define ZOO_SLOT_END out->key_words = 1000000;

#include "zoo.h"
