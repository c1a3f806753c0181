/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good placement rule.
 * kind: placement-rule
 */

#include "zoo.h"
