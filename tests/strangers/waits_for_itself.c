/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Locks the same mutex a second time.
 */
#define ZOO_SLOT                                             \
  {                                                          \
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; \
    pthread_mutex_lock(&lock);                               \
  }

#include "zoo.h"
