/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys crashes.
 * fails: slots-answer
 */
#define ZOO_SLOT __builtin_trap();

#include "zoo.h"
