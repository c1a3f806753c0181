/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Refuses an application in more words than there is room for.
 * kind: app-sort
 */
#include "tenon/abi/sort.h"
static tenon_status prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
  static int called;
  (void)self, (void)in;
  if (called++ != 0) return TENON_OK;
  if (out->error != NULL) out->error->length = UINT64_MAX / 2;
  return TENON_INVALID_CONFIG;
}
#define ZOO_PREPARE prepare

#include "zoo.h"
