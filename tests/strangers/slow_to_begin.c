/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Needs longer to be initialized than anything should.
 */
#include <unistd.h>
#define ZOO_INIT sleep(3);

#include "zoo.h"
