/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Lets one victim more go than must.
 * fails: filter-prefix-agrees
 * kind: predicate
 */
#include "tenon/abi/predicate.h"
static tenon_status zoo_more(tenon_instance *self, const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out) {
  (void)self;
  out->index = in->start + 1;
  return TENON_OK;
}
#define ZOO_FILTER_PREFIX zoo_more

#include "zoo.h"
