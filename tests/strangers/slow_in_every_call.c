/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Is never late, and yet takes most of everybody's time.
 */
#include <unistd.h>
#define ZOO_SLOT usleep(190000);

#include "zoo.h"
