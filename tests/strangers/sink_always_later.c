/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Always says that it is to be called again.
 * kind: event-sink
 */
#define ZOO_SLOT return TENON_RETRY;

#include "zoo.h"
