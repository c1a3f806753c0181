/* What a policy in C computes with share.h.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 */
#include "tenon/sdk/share.h"

double share_from_c_dominant(tenon_amounts allocated, tenon_amounts guaranteed, tenon_amounts fair_max);
void share_from_c_keys(tenon_amounts used, tenon_amounts total, uint64_t *keys, uint32_t words);
double share_from_c_usage(tenon_amounts free, tenon_amounts total, const double *weights, uint32_t weight_count);

double share_from_c_dominant(tenon_amounts allocated, tenon_amounts guaranteed, tenon_amounts fair_max) {
  return tenon_dominant_share(allocated, guaranteed, fair_max);
}

void share_from_c_keys(tenon_amounts used, tenon_amounts total, uint64_t *keys, uint32_t words) {
  tenon_shares_keys(used, total, keys, words);
}

double share_from_c_usage(tenon_amounts free, tenon_amounts total, const double *weights, uint32_t weight_count) {
  return tenon_node_usage(free, total, weights, weight_count);
}
