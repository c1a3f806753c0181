/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * A constructor changes the working directory.
 * fails: opening-quiet
 */
#include <unistd.h>
__attribute__((constructor)) static void zoo_load(void) { (void)!chdir("/"); }

#include "zoo.h"
