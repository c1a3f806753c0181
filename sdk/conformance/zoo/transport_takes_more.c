/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It says that it took more answers than there were.
 * kind: transport
 * fails: transport-declines-strangers, transport-reads-what-is-given, transport-takes-over
 */
#define ZOO_STRANGER (out->taken = in->message_count + 1, TENON_OK)

#include "zoo.h"
