/* Kind node-sort: orders the nodes of a partition, in the order in which an ask tries them.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Chosen by nodesortpolicy.type of the partition. The factory of this id makes instances whose interface
 * table is a tenon_sort_v1 (sort.h).
 */
#ifndef TENON_ABI_NODE_SORT_H
#define TENON_ABI_NODE_SORT_H

#include "sort.h"

#define TENON_NODE_SORT "tenon.node-sort/1"

#endif
