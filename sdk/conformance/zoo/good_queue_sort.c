/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good queue order.
 * kind: queue-sort
 */

#include "zoo.h"
