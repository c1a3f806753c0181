/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Declares a column of the nodes as one of the context.
 * fails: columns-known
 */
#define ZOO_COLUMNS {sizeof(tenon_column_use), TENON_SCOPE_CONTEXT, ZOO_TEXT("node.free")},

#include "zoo.h"
