/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Opens a file in every call.
 * fails: leak-calls, leak-instances, surroundings-kept
 * kind: placement-rule
 */
#include <fcntl.h>
#define ZOO_SLOT (void)open("/dev/null", O_RDONLY);

#include "zoo.h"
