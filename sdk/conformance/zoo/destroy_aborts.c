/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * destroy frees what it was never given.
 * fails: instance-starts
 */
#include <stdlib.h>
#define ZOO_DESTROY free((char *)self + 16);

#include "zoo.h"
