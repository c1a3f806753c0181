/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Declares a column that nodes do not have.
 * fails: columns-known
 */
#define ZOO_COLUMNS {sizeof(tenon_column_use), TENON_SCOPE_ITEM, ZOO_TEXT("node.fre")},

#include "zoo.h"
