/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Says another version than its manifest.
 * fails: manifest-matches
 */
#define ZOO_VERSION "1.0.1"

#include "zoo.h"
