/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good application order.
 * kind: app-sort
 */

#include "zoo.h"
