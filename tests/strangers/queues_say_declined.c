/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has no opinion on queues.
 * kind: queue-sort
 */
#define ZOO_SLOT return TENON_DECLINED;

#include "zoo.h"
