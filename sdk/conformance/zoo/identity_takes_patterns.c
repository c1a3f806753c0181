/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The name of a user is taken for a pattern.
 * kind: identity
 * fails: identity-names-whole
 */
static int zoo_fits(const char *user, const char *pattern, unsigned long long length);
#define ZOO_USER zoo_fits(user, wanted.data, wanted.length)
#define ZOO_BEFORE_RESOLVE                                                                              \
  static int zoo_fits(const char *user, const char *pattern, unsigned long long length) {               \
    if (length == 0) return *user == 0;                                                                 \
    if (*pattern == '*')                                                                                \
      return zoo_fits(user, pattern + 1, length - 1) || (*user && zoo_fits(user + 1, pattern, length)); \
    return *user == *pattern && zoo_fits(user + 1, pattern + 1, length - 1);                            \
  }

#include "zoo.h"
