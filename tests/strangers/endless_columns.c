/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that it reads four billion columns.
 */
#define ZOO_DESCRIBE d.column_count = UINT32_MAX;

#include "zoo.h"
