/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Refuses an application and says nothing of why.
 * fails: refusal-words
 * kind: app-sort
 */
#include "tenon/abi/sort.h"
static tenon_status zoo_prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
  uint64_t i;
  (void)self;
  for (i = 0; i < in->tag_count; ++i)
    if (in->tag_values[i].length == 2 && in->tag_values[i].data[0] == '-') return TENON_INVALID_CONFIG;
  out->words[0] = out->words[1] = out->words[2] = out->words[3] = in->tag_count;
  return TENON_OK;
}
#define ZOO_PREPARE zoo_prepare

#include "zoo.h"
