/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It takes answers for RMs that it does not know.
 * kind: transport
 * fails: transport-declines-strangers, transport-takes-over
 */
#define ZOO_STRANGER (out->taken = in->message_count, TENON_OK)

#include "zoo.h"
