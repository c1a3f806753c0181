/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What it has run at the process's end crashes.
 */
static void crash(void) { *(volatile int *)8 = 1; }
#define ZOO_INIT atexit(crash);

#include "zoo.h"
