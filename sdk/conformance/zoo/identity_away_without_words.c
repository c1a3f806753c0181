/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A source that is away is not named.
 * kind: identity
 * fails: config-fuzz, config-spelling, identity-away
 */
#define ZOO_AWAY return TENON_RETRY;

#include "zoo.h"
