/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An id that it has already is not kept again, whatever the run.
 * kind: event-sink
 * fails: sink-runs
 */
#define ZOO_KEPT                                 \
  {                                              \
    uint64_t k;                                  \
    for (k = 0; k < self->record_count; ++k)     \
      if (self->records[k].id == copy.id) break; \
    if (k < self->record_count) {                \
      zoo_forget(&copy);                         \
      continue;                                  \
    }                                            \
  }

#include "zoo.h"
