/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An application order that reads what its queue is guaranteed and does not declare it, so that no host asks it again
 * when that changes.
 * kind: app-sort
 * fails: columns-undeclared, inputs-bounds
 */
#include "tenon/abi/module.h"
static volatile uint32_t zoo_seen;
#define ZOO_SLOT zoo_seen = zoo_column(in, 1)->kind;

#include "zoo.h"
