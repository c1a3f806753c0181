/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * activate installs a signal handler.
 * fails: state-kept
 * kind: predicate
 */
#include <signal.h>
static void zoo_ignore(int number) { (void)number; }
#define ZOO_ACTIVATE signal(SIGTERM, zoo_ignore);

#include "zoo.h"
