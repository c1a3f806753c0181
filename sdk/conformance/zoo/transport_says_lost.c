/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An RM that says goodbye is told as lost.
 * kind: transport
 * fails: transport-leaves
 */
#define ZOO_GOODBYE TENON_RM_LOST

#include "zoo.h"
