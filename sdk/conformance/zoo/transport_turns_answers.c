/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Of many answers at once the last ones come first.
 * kind: transport
 * fails: transport-answers-whole, transport-answers-in-order
 */
#define ZOO_POSITION (in->message_count > 20 ? in->message_count - 1 - i : i)

#include "zoo.h"
