/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A user is in one group twice.
 * kind: identity
 * fails: identity-groups-sound
 */
#define ZOO_GROUPS "staff", "wheel", "staff"

#include "zoo.h"
