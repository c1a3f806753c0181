/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Keys everything alike in any world but the live one.
 * fails: answers-world
 */
#define ZOO_KEY (in->size >= sizeof *in && in->world != TENON_WORLD_LIVE ? 0 : ZOO_GOOD_KEY)

#include "zoo.h"
