/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Handles its own SIGSEGV, and jumps out of it.
 */
#include <setjmp.h>
#include <signal.h>
static sigjmp_buf home;
static void jump(int number) { siglongjmp(home, number); }
#define ZOO_SLOT         \
  signal(SIGSEGV, jump); \
  if (sigsetjmp(home, 1) == 0) *(volatile int *)8 = 1;

#include "zoo.h"
