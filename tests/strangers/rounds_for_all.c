/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Leaves another rounding behind, each time.
 */
#include <fenv.h>
#define ZOO_SLOT_END fesetround(FE_TOWARDZERO);

#include "zoo.h"
