/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The same signature for every ask.
 * fails: signature-sound
 * kind: predicate
 */
#include "tenon/abi/predicate.h"
static tenon_status zoo_one(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) {
  (void)self, (void)in;
  out->words[0] = out->words[1] = 1;
  return TENON_OK;
}
#define ZOO_SIGNATURE zoo_one

#include "zoo.h"
