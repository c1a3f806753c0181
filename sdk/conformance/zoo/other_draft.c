/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Built for another draft than its manifest says.
 * fails: library-opens
 */
#define ZOO_DRAFT_REV 999u

#include "zoo.h"
