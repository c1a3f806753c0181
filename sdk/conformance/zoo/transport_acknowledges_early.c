/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * It acknowledges answers that it was never given.
 * kind: transport
 * fails: transport-answers-whole, transport-answers-in-order, transport-takes-over, transport-stops-with-rms
 */
#define ZOO_ACKNOWLEDGED in->first_number + in->message_count

#include "zoo.h"
