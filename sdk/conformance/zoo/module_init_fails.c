/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The module's init refuses.
 * fails: module-starts
 */
#define ZOO_MODULE_INIT return TENON_INTERNAL;

#include "zoo.h"
