/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Links gRPC, or what has its name.
 * fails: library-needs
 * link: @fake@
 */
int zoo_fake(void);
#define ZOO_MODULE_INIT (void)zoo_fake();

#include "zoo.h"
