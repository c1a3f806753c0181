/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its signature of an ask is never ready.
 * kind: predicate
 */
#include <unistd.h>

#include "tenon/abi/predicate.h"
static tenon_status sign(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) {
  (void)self, (void)in, (void)out;
  for (;;) pause();
}
#define ZOO_SIGNATURE sign

#include "zoo.h"
