/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Whose name begins so is found.
 * kind: identity
 * fails: identity-names-whole
 */
#define ZOO_USER (wanted.length <= strlen(user) && memcmp(wanted.data, user, wanted.length) == 0)

#include "zoo.h"
