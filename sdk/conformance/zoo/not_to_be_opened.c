/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Linked so that nobody may open it.
 * fails: library-kind
 * link: -Wl,-z,nodlopen
 */

#include "zoo.h"
