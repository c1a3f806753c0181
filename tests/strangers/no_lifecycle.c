/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Makes instances without a lifecycle.
 */
#define ZOO_CREATED out->lifecycle = NULL;

#include "zoo.h"
