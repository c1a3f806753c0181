/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Makes instances without slots.
 */
#define ZOO_CREATED out->interface_table = NULL;

#include "zoo.h"
