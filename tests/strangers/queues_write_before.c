/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Writes a word before its keys.
 * kind: queue-sort
 */
#define ZOO_SLOT out->keys[-1] = 7;

#include "zoo.h"
