/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A good event sink.
 * kind: event-sink
 */

#include "zoo.h"
