/* Kind event-sink: takes records of what happened, and may answer questions about them. DRAFT: loads only on an equal
 * host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Named in `events` of the deployment; each entry has a thread of its own and a queue of records before it. A sink may
 * be slow: what its queue cannot hold is lost for it alone, and a record of type TENON_EVENT_SYSTEM says which ids.
 *
 *   host                                   event sink
 *   ----                                   ----------
 *   emit(batch of records)             ->  keeps them; OK: they are kept as well as the sink ever keeps any
 *   emit(the same batch)               ->  again, after RETRY
 *   query(filter, taker)               ->  take(record) for each that fits
 *
 * Ids count the records of one run of the scheduler from 1, without gaps; `run` names the run. A sink that outlives
 * the process has records of several runs. docs/events.md lists what is recorded.
 */
#ifndef TENON_ABI_EVENT_SINK_H
#define TENON_ABI_EVENT_SINK_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_EVENT_SINK "tenon.event-sink/1"

/* Types of records: the numbers of the newest scheduler interface. */
#define TENON_EVENT_SYSTEM 0u /* about the scheduler itself: losses, what people did */
#define TENON_EVENT_REQUEST 1u
#define TENON_EVENT_APP 2u
#define TENON_EVENT_NODE 3u
#define TENON_EVENT_QUEUE 4u
#define TENON_EVENT_USERGROUP 5u

#define TENON_EVENT_NONE 0u
#define TENON_EVENT_SET 1u
#define TENON_EVENT_ADD 2u
#define TENON_EVENT_REMOVE 3u

typedef struct tenon_event_record {
  uint32_t size;
  uint32_t type; /* TENON_EVENT_SYSTEM .. TENON_EVENT_USERGROUP */
  uint64_t id;
  uint64_t last_id;     /* of a loss (reason EventsLost) the last id that is lost; else equal to id */
  int64_t timestamp_ns; /* Unix; of the journal */
  uint32_t change;      /* TENON_EVENT_NONE .. TENON_EVENT_REMOVE */
  uint32_t detail;      /* the interface's number, 0 where it has none */
  tenon_text run;       /* names the run of the scheduler in which the id counts */
  tenon_text partition;
  tenon_text object; /* whom it is about, by type: allocation key, application, node, queue path, user or group */
  tenon_text reference;
  tenon_text group;  /* groupID of the seed's records */
  tenon_text reason; /* the same: one word */
  tenon_text message;
  tenon_text application; /* what the record concerns, empty where nothing: for filters */
  tenon_text queue;
  tenon_text node;
  const tenon_text *resource_types; /* in the order of bytes */
  const int64_t *resource_values;   /* resource_count of both */
  uint32_t resource_count;
  uint32_t reserved; /* 0 */
} tenon_event_record;

typedef struct tenon_event_emit_in {
  uint32_t size;
  uint32_t record_stride; /* bytes from a record to the next */
  const tenon_event_record *records;
  uint64_t record_count;
} tenon_event_emit_in;

typedef struct tenon_event_emit_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_event_emit_out;

/* What a query wants. Empty texts and zeros ask for nothing. */
typedef struct tenon_event_query_in {
  uint32_t size;
  uint32_t types; /* 1 << type for each wanted; 0: all */
  tenon_text run;
  tenon_text partition;
  tenon_text object;
  tenon_text application;
  tenon_text queue;
  tenon_text node;
  int64_t since_ns; /* that time or later */
  int64_t until_ns; /* before that time */
  uint64_t first_id;
  uint64_t last_id;
  uint64_t after; /* `next` of the query before; 0: from the first */
  uint64_t limit; /* at most so many records */
} tenon_event_query_in;

typedef struct tenon_event_query_out {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Given by the caller: called for each record in the order in which they were emitted. The record is borrowed for the
   * call. A status that is not OK ends the query. [io] */
  tenon_status (*take)(void *taker, const tenon_event_record *);
  void *taker;
  uint64_t next;        /* preset 0: `after` of the next query where the limit ended this one */
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_event_query_out;

typedef struct tenon_event_sink_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Keeps all records of the batch or none. May wait. OK: kept, and given by queries from now on; RETRY: not now, the
   * same batch comes again, perhaps after others were lost; DECLINED: never, drop this batch. Any other status is a
   * fault: the sink is made anew, and stopped when that does not help. Required. [io] */
  tenon_status (*emit)(tenon_instance *, const tenon_event_emit_in *, tenon_event_emit_out *out);

  /* Gives the records that fit every condition. OK; RETRY: it cannot look now. NULL: the sink cannot answer. [io] */
  tenon_status (*query)(tenon_instance *, const tenon_event_query_in *, tenon_event_query_out *out);
} tenon_event_sink_v1;

#ifdef __cplusplus
}
#endif

#endif
