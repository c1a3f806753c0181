/* Host service tenon.host.events: questions about what happened, and what happens from now on. DRAFT: for modules that
 * provide a draft kind.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Records, types and filters are those of event_sink.h. A query is answered by the first sink of the deployment that
 * can. A subscriber has a queue of its own; what that cannot hold is lost for it alone, and counted.
 */
#ifndef TENON_ABI_HOST_EVENTS_H
#define TENON_ABI_HOST_EVENTS_H

#include "event_sink.h"
#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_EVENTS "tenon.host.events/1"

typedef struct tenon_events_range_out {
  uint32_t size;
  uint32_t reserved;  /* 0 */
  tenon_text run;     /* names this run of the scheduler; valid until the module's deinit */
  uint64_t lowest_id; /* that a query can give, of this run; above highest_id: none */
  uint64_t highest_id;
} tenon_events_range_out;

/* 0 is none. */
typedef uint64_t tenon_event_subscription;

typedef struct tenon_events_subscribe_in {
  uint32_t size;
  uint32_t types;   /* 1 << type for each wanted; 0: all */
  uint64_t room;    /* records that may wait to be taken; 0: 1000 */
  uint64_t history; /* so many records of before come first, as far as a query can give them */

  /* Given by the caller, may be NULL: something waits that did not before. Must not block. [any] */
  void (*wake)(void *waker);
  void *waker;
} tenon_events_subscribe_in;

typedef struct tenon_events_subscribe_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_event_subscription subscription;
} tenon_events_subscribe_out;

typedef struct tenon_events_take_in {
  uint32_t size;
  uint32_t wait_ms; /* wait so long for a first record */
  tenon_event_subscription subscription;
  uint64_t limit; /* at most so many records */
} tenon_events_take_in;

typedef struct tenon_events_take_out {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Given by the caller: called with each record, borrowed, in the order of ids. Not OK ends the call. [io] */
  tenon_status (*take)(void *taker, const tenon_event_record *);
  void *taker;
  uint64_t lost; /* preset 0: records that this subscription lost so far */
} tenon_events_take_out;

typedef struct tenon_events_unsubscribe_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_event_subscription subscription;
} tenon_events_unsubscribe_in;

typedef struct tenon_host_events {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* As the slot of the kind. UNSUPPORTED: no sink of the deployment can answer; RETRY: it cannot now. [io] */
  tenon_status (*query)(const tenon_host *, const tenon_event_query_in *, tenon_event_query_out *out);

  /* Which ids a query can give. UNSUPPORTED as for query. [io] */
  tenon_status (*range)(const tenon_host *, tenon_events_range_out *out);

  /* Begins to collect what happens. EXHAUSTED: too many subscriptions. [any] */
  tenon_status (*subscribe)(const tenon_host *, const tenon_events_subscribe_in *, tenon_events_subscribe_out *out);

  /* Gives what was collected. DECLINED: there is no such subscription; RETRY: the scheduler stops, nothing more will
   * come. One call at a time for one subscription. [io] */
  tenon_status (*take)(const tenon_host *, const tenon_events_take_in *, tenon_events_take_out *out);

  /* Ends a subscription; a call of take that waits returns. [any] */
  tenon_status (*unsubscribe)(const tenon_host *, const tenon_events_unsubscribe_in *);
} tenon_host_events;

#ifdef __cplusplus
}
#endif

#endif
