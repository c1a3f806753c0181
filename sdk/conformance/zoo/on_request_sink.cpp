/* Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 * An event sink that misbehaves on request.
 * kind: event-sink
 */
#define ZOO_MAIN_SLOT "emit"
#include "on_request.h"
#include "tenon/abi/event_sink.h"

static void zoo_forget(tenon_event_record *record);
#undef ZOO_DESTROY
#define ZOO_DESTROY                                                                 \
  zoo_at("destroy");                                                                \
  while (self->record_count != 0) zoo_forget(&self->records[--self->record_count]); \
  free(self->records);                                                              \
  free(self);

#include "zoo.h"
