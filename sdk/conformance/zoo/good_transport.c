/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good transport.
 * kind: transport
 */

#include "zoo.h"
