/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A score that names device 0 whatever the node has free there, and however many the ask wants.
 * fails: chosen-devices
 */
#include "tenon/abi/columns.h"
#include "tenon/abi/sort.h"
#define ZOO_KEY_WORDS 2
#define ZOO_COLUMNS                                                    \
  {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.free")}, \
      {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("score.devices:gpu")},
static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out);
#define ZOO_SCORE zoo_score
#define ZOO_AFTER                                                                                   \
  static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) { \
    uint32_t i;                                                                                     \
    const tenon_status status = zoo_keys(self, in, out);                                            \
    for (i = 0; i < in->item_count; ++i) out->keys[(uint64_t)i * out->key_words + 1] = 1;           \
    return status;                                                                                  \
  }

#include "zoo.h"
