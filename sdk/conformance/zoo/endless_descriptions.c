/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Describes the same implementation for every index.
 * fails: manifest-matches
 */
#define ZOO_DESCRIPTIONS UINT32_MAX

#include "zoo.h"
