/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has SIGALRM come ten milliseconds after the call, and nobody takes it.
 */
#include <sys/time.h>
#define ZOO_SLOT_END                                    \
  {                                                     \
    const struct itimerval soon = {{0, 0}, {0, 10000}}; \
    setitimer(ITIMER_REAL, &soon, NULL);                \
  }

#include "zoo.h"
