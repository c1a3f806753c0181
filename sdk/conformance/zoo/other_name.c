/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has another name than in its manifest.
 * fails: manifest-matches
 */
#define ZOO_NAME "zoological"

#include "zoo.h"
