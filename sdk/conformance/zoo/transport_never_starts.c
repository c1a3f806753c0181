/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It refuses to start.
 * kind: transport
 * fails: transport-starts
 */
#define ZOO_START return TENON_INTERNAL;

#include "zoo.h"
