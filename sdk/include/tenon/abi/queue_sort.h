/* Kind queue-sort: orders the child queues of one parent, when the parent looks for work.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Chosen by property queue.sort.policy of the parent. The factory of this id makes instances whose interface
 * table is a tenon_sort_v1 (sort.h).
 */
#ifndef TENON_ABI_QUEUE_SORT_H
#define TENON_ABI_QUEUE_SORT_H

#include "sort.h"

#define TENON_QUEUE_SORT "tenon.queue-sort/1"

#endif
