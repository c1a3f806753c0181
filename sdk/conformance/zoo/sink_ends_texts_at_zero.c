/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A text ends for it where a byte is zero.
 * kind: event-sink
 * fails: sink-odd-texts
 */
#define ZOO_COPIED zoo_cut
#include "tenon/abi/base.h"
static tenon_text zoo_cut(tenon_text);
#define ZOO_AFTER                                                     \
  static tenon_text zoo_cut(tenon_text text) {                        \
    tenon_text out = zoo_copied(text);                                \
    if (text.length != 0) out.length = strnlen(out.data, out.length); \
    return out;                                                       \
  }

#include "zoo.h"
