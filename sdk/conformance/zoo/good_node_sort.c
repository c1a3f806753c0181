/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good node order.
 */

#include "zoo.h"
