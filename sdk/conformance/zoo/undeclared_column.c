/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Reads a column more than it declares.
 * fails: columns-undeclared, inputs-bounds
 */
#include "tenon/abi/module.h"
static volatile uint32_t zoo_seen;
#define ZOO_SLOT zoo_seen = zoo_column(in, 1)->kind;

#include "zoo.h"
