/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * destroy does not free the instance.
 * fails: leak-instances
 */
#define ZOO_DESTROY (void)self;

#include "zoo.h"
