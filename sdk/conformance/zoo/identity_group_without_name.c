/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * One of the groups has no name.
 * kind: identity
 * fails: identity-groups-sound
 */
#define ZOO_GROUPS "staff", ""

#include "zoo.h"
