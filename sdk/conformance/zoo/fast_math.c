/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Linked with -ffast-math, which flushes small numbers to zero in the whole process.
 * fails: state-kept
 * compile: -ffast-math
 * link: -ffast-math
 */

#include "zoo.h"
