/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The same with a C++ runtime of its own.
 * link: -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL
 */
#define ZOO_MAIN_SLOT "keys"
#include "on_request.h"
#include "tenon/abi/sort.h"

static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out);
static tenon_status zoo_prepare(tenon_instance *self, const tenon_prepare_in *in, tenon_prepare_out *out) {
  (void)self, (void)in;
  zoo_at("prepare");
  memset(out->words, 0, sizeof out->words);
  return TENON_OK;
}
#define ZOO_SCORE zoo_score
#define ZOO_PREPARE zoo_prepare
#define ZOO_AFTER                                                                                   \
  static tenon_status zoo_score(tenon_instance *self, const tenon_batch *in, tenon_keys_out *out) { \
    zoo_at("score");                                                                                \
    return zoo_keys(self, in, out);                                                                 \
  }

#include "zoo.h"
