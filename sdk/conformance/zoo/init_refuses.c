/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The instance's init refuses.
 * fails: instance-starts
 */
#define ZOO_INIT return TENON_UNSUPPORTED;

#include "zoo.h"
