/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys leaves another rounding mode behind.
 * fails: state-kept
 */
#include <fenv.h>
#define ZOO_SLOT fesetround(FE_UPWARD);

#include "zoo.h"
