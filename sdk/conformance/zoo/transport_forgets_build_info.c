/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Registrations lose what they were built of.
 * kind: transport
 * fails: transport-enters-whole
 */
#define ZOO_REGISTRATION registration.build_info.count = 0;

#include "zoo.h"
