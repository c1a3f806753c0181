/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Crashes for the first application.
 * kind: placement-rule
 */
#define ZOO_SLOT *(volatile int *)8 = 1;

#include "zoo.h"
