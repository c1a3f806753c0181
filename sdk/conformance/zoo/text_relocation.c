/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has code that the dynamic linker must write to.
 * fails: library-memory
 * link: -Wl,-z,notext
 */
__asm__(".text\nzoo_in_code:\n.quad zoo_in_code\n");

#include "zoo.h"
