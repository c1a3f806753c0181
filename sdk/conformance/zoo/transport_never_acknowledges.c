/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * The scheduler keeps every answer for ever: none is acknowledged.
 * kind: transport
 * fails: transport-acknowledges
 */
#define ZOO_ACKNOWLEDGED 0

#include "zoo.h"
