/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A predicate that misbehaves on request.
 * kind: predicate
 */
#define ZOO_MAIN_SLOT "filter"
#include "on_request.h"
#include "tenon/abi/predicate.h"

static tenon_status zoo_sign(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out);
static tenon_status zoo_prefix(tenon_instance *self, const tenon_filter_prefix_in *in, tenon_filter_prefix_out *out);
#define ZOO_SIGNATURE zoo_sign
#define ZOO_FILTER_PREFIX zoo_prefix
#define ZOO_AFTER                                                                                       \
  static tenon_status zoo_sign(tenon_instance *self, const tenon_batch *in, tenon_signature_out *out) { \
    zoo_at("signature");                                                                                \
    return zoo_good_signature(self, in, out);                                                           \
  }                                                                                                     \
  static tenon_status zoo_prefix(tenon_instance *self, const tenon_filter_prefix_in *in,                \
                                 tenon_filter_prefix_out *out) {                                        \
    zoo_at("filter_prefix");                                                                            \
    return zoo_good_filter_prefix(self, in, out);                                                       \
  }

#include "zoo.h"
