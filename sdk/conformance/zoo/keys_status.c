/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * keys gives a status that it may not give.
 * fails: slots-answer
 */
#define ZOO_SLOT return TENON_DECLINED;

#include "zoo.h"
