/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Takes the first rows of its columns for those of the batch.
 * fails: items-alone, answers-order
 */
#include "tenon/abi/module.h"
static uint32_t zoo_first[100000];
#define ZOO_SLOT                                                               \
  tenon_batch zoo_own;                                                         \
  memcpy(&zoo_own, in, in->size < sizeof zoo_own ? in->size : sizeof zoo_own); \
  for (i = 0; i < in->item_count; ++i) zoo_first[i] = i;                       \
  zoo_own.items = zoo_first;                                                   \
  in = &zoo_own;

#include "zoo.h"
