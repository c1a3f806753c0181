/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Asks for an executable stack.
 * fails: library-memory
 * link: -Wl,-z,execstack
 */

#include "zoo.h"
