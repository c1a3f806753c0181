/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good predicate.
 * kind: predicate
 */

#include "zoo.h"
