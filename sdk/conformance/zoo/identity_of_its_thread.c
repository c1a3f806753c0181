/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * On another thread than the one that made the instance nobody is there.
 * kind: identity
 * fails: threads-instances, threads-move
 */
#define ZOO_STATE pthread_t thread;
#define ZOO_CREATED self->thread = pthread_self();
#define ZOO_SLOT \
  if (!pthread_equal(self->thread, pthread_self())) return TENON_DECLINED;

#include "zoo.h"
