/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * create says INTERNAL where it means the configuration.
 * fails: config-fuzz
 */
#include <string.h>

#include "tenon/abi/base.h"
static int zoo_has(tenon_text text, const char *part) {
  const uint64_t length = strlen(part);
  uint64_t i;
  for (i = 0; i + length <= text.length; ++i)
    if (memcmp(text.data + i, part, length) == 0) return 1;
  return 0;
}
#define ZOO_CREATE \
  if (zoo_has(in->configuration, ":64")) return TENON_INTERNAL;

#include "zoo.h"
