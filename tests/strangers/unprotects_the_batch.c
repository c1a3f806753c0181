/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Makes its columns writable, and gives each node a billion.
 */
#include <sys/mman.h>
#define ZOO_SLOT_END                                                                         \
  {                                                                                          \
    char *at = (char *)(uintptr_t)zoo_column(in, 0)->base;                                   \
    mprotect((void *)((uintptr_t)at & ~(uintptr_t)4095), 8192, PROT_READ | PROT_WRITE);      \
    for (i = 0; i < in->item_count; ++i)                                                     \
      *(int64_t *)(void *)(at + zoo_column(in, 0)->item_stride * in->items[i]) = 1000000000; \
  }

#include "zoo.h"
