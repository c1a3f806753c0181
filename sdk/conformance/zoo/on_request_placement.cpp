/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A placement rule that misbehaves on request.
 * kind: placement-rule
 */
#define ZOO_MAIN_SLOT "place"
#include "on_request.h"
#include "zoo.h"
