/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes 300 ms for each batch.
 * kind: event-sink
 */
#include <unistd.h>
#define ZOO_SLOT usleep(300000);

#include "zoo.h"
