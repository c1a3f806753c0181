/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says another re-key interval each time.
 * fails: describe-stable
 */
static unsigned zoo_times;
#define ZOO_DESCRIBE d.rekey_ms = 1000 * ++zoo_times;

#include "zoo.h"
