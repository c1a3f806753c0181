/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says that it made an instance, and made none.
 * fails: instance-starts
 */
#define ZOO_CREATED out->instance = NULL;

#include "zoo.h"
