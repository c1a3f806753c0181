/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A session that ended is still delivered to.
 * kind: transport
 * fails: transport-takes-over
 */
#define ZOO_FORGET

#include "zoo.h"
