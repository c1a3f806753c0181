/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * place blocks a signal.
 * fails: state-kept
 * kind: placement-rule
 */
#include <signal.h>
#define ZOO_SLOT                \
  sigset_t zoo_set;             \
  sigemptyset(&zoo_set);        \
  sigaddset(&zoo_set, SIGUSR1); \
  sigprocmask(SIG_BLOCK, &zoo_set, NULL);

#include "zoo.h"
