/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * What it prepares of an application's tags is never ready.
 * kind: app-sort
 */
#include <unistd.h>

#include "tenon/abi/sort.h"
static tenon_status prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
  (void)self, (void)in, (void)out;
  for (;;) pause();
}
#define ZOO_PREPARE prepare

#include "zoo.h"
