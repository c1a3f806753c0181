/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * activate crashes.
 * fails: instance-starts
 */
#define ZOO_ACTIVATE __builtin_trap();

#include "zoo.h"
