/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Built for an epoch that never was.
 * fails: library-opens
 */
#define ZOO_EPOCH 9u

#include "zoo.h"
