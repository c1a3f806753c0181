/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says another behaviour revision than its manifest.
 * fails: manifest-matches
 */
#define ZOO_ORDER_REV 2

#include "zoo.h"
