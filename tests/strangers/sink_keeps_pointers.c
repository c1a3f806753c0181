/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * Reads the records of an earlier batch.
 * kind: event-sink
 */
#define ZOO_SLOT                                                                                      \
  {                                                                                                   \
    static const volatile tenon_event_record *first;                                                  \
    if (in->record_count != 0 && first == NULL) first = ZOO_RECORD(in, 0);                            \
    if (first != NULL && first->message.length != 0) self->calls += (uint64_t)first->message.data[0]; \
  }

#include "zoo.h"
