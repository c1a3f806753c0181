/* Kind app-sort: orders the applications of one leaf queue.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Chosen by property application.sort.policy of the queue. The factory of this id makes instances whose interface
 * table is a tenon_sort_v1 (sort.h).
 */
#ifndef TENON_ABI_APP_SORT_H
#define TENON_ABI_APP_SORT_H

#include "sort.h"

#define TENON_APP_SORT "tenon.app-sort/1"

#endif
