/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A score that reads nothing of the ask and orders the other way round.
 * fails: score-keys
 */
#include "tenon/abi/sort.h"
static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out);
#define ZOO_SCORE zoo_score
#define ZOO_AFTER                                                                                   \
  static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) { \
    uint32_t i;                                                                                     \
    const tenon_status status = zoo_keys(self, in, out);                                            \
    for (i = 0; i < in->item_count; ++i) out->keys[i] = ~out->keys[i];                              \
    return status;                                                                                  \
  }

#include "zoo.h"
