/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its table has another name than hosts look for.
 * fails: library-exports
 * exports: all
 */
#define ZOO_NO_ENTRY

#include "zoo.h"
