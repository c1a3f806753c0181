/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good source of groups.
 * kind: identity
 */

#include "zoo.h"
