/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Crashes for each user.
 * kind: identity
 */
#define ZOO_SLOT abort();

#include "zoo.h"
