/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Its status is no status.
 */
#define ZOO_SLOT return (tenon_status)-1;

#include "zoo.h"
