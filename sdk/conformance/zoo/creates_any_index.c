/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Makes an instance whatever index is asked for.
 * fails: unknown-index
 */
#define ZOO_CREATED_INDEX 0

#include "zoo.h"
