/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Has the pages of its columns unmapped.
 */
#include <sys/mman.h>
#define ZOO_SLOT_END munmap((void *)((uintptr_t)zoo_column(in, 0)->base & ~(uintptr_t)4095), 4096);

#include "zoo.h"
