/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * While the source is away nobody is there.
 * kind: identity
 * fails: identity-away
 */
#define ZOO_AWAY return TENON_DECLINED;

#include "zoo.h"
