/* Host service explain: why an ask waits, and what would let it run; what would become of asks that nobody has sent.
 * DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Everything reachable from an explanation is valid until it is closed. Kinds are words: docs/decisions.md.
 */
#ifndef TENON_ABI_HOST_EXPLAIN_H
#define TENON_ABI_HOST_EXPLAIN_H

#include "host.h"
#include "host_views.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_EXPLAIN "tenon.host.explain/1"

/* One thing that holds the ask. Numbers are of `type`, or count applications or allocations where it is empty. */
typedef struct tenon_obstacle {
  uint32_t size;
  uint32_t group;  /* 0 or 1: `name` is a group */
  tenon_text kind; /* "queue resources" */
  tenon_text queue;
  tenon_text name;   /* of the user or group of a limit, a state, an RM, an application */
  tenon_text type;   /* of resource */
  tenon_text policy; /* of an order that leaves it out */
  tenon_text words;  /* all of it, for people */
  int64_t asked;
  int64_t limit;
  int64_t used;
  int64_t free;
  int64_t short_by;
  int64_t until_ms;  /* 0: not known */
  tenon_text reason; /* why nobody gives way, or why the RM refuses */
} tenon_obstacle;

/* One part of the change that would let the ask run. */
typedef struct tenon_change {
  uint32_t size;
  uint32_t group; /* 0 or 1: `name` is a group */
  tenon_text kind;
  tenon_text queue;
  tenon_text name;
  tenon_text type;
  tenon_text words; /* all of it, for people */
  int64_t from;
  int64_t to;
  tenon_rm_amounts amounts;
} tenon_change;

typedef struct tenon_explanation {
  uint32_t size;
  uint32_t pending; /* 0 or 1: some of it waits */
  tenon_text partition;
  tenon_text application;
  tenon_text key;
  tenon_text queue;
  tenon_text words;          /* all of it, one sentence a line */
  tenon_rm_amounts asked;    /* of one allocation */
  int64_t waiting;           /* allocations */
  uint64_t before;           /* pending allocations that would be tried earlier */
  tenon_view_list obstacles; /* tenon_obstacle; none: only others are before it */
  tenon_view_list changes;   /* tenon_change */
  uint64_t nodes;            /* in all; each counts once below, at the first reason that holds */
  uint64_t nodes_that_fit;
  uint64_t nodes_not_schedulable;
  tenon_rm_amounts nodes_short;            /* by type: too little is free */
  tenon_rm_amounts nodes_short_of_devices; /* by type: the sum is there, the devices are not */
  tenon_rm_amounts nodes_refused;          /* by the predicates' reason */
  tenon_rm_amounts nodes_refused_by_rm;    /* by its reason */
  tenon_text outcome;                      /* of making all changes in a copy: "runs", or why not: docs/explain.md */
  uint64_t after;                          /* decisions for others that come before its own then */
  tenon_text json;                         /* all of it as an object, with the keys of docs/state-json.md */
} tenon_explanation;

typedef struct tenon_explain_in {
  uint32_t size;
  uint32_t timeout_ms;  /* 0: 10,000 */
  tenon_text partition; /* "[rm]name", or "name" where one RM has it alone */
  tenon_text application;
  tenon_text key;
} tenon_explain_in;

typedef struct tenon_explain_out {
  uint32_t size;
  uint32_t reserved;                    /* 0 */
  uint64_t id;                          /* to close; preset 0 */
  const tenon_explanation *explanation; /* valid until it is closed */
  tenon_message *error;                 /* given by the caller; words of a status that is not OK */
} tenon_explain_out;

typedef struct tenon_explain_close_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t id;
} tenon_explain_close_in;

/* A question in JSON and its answer in JSON: docs/what-if.md. */
typedef struct tenon_what_if_in {
  uint32_t size;
  uint32_t timeout_ms;  /* 0: 10,000 */
  tenon_text partition; /* in place of the question's, which has none then; empty: the question's */
  tenon_text user;      /* of new applications that name none; empty: "nobody" */
  tenon_text question;
} tenon_what_if_in;

typedef struct tenon_what_if_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  uint64_t id;          /* to close; preset 0 */
  tenon_text answer;    /* valid until it is closed */
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_what_if_out;

typedef struct tenon_host_explain {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Explains one ask. UNRESOLVABLE: there is no such partition, application or ask; RETRY: no answer within the time;
   * EXHAUSTED: too many explanations are wanted at once. Not on the cycle thread. [any] */
  tenon_status (*explain)(const tenon_host *, const tenon_explain_in *, tenon_explain_out *out);

  /* Gives an explanation or the answer to a what-if question back. [any] */
  tenon_status (*close)(const tenon_host *, const tenon_explain_close_in *);

  /* Finds out what would become of asks, on a copy of the partition. INVALID_CONFIG: the question is wrong, and the
   * words say where; UNRESOLVABLE: it means no partition, or several; UNSCHEDULABLE: the partition is too large to be
   * copied while it schedules; RETRY and EXHAUSTED as above. Not on the cycle thread. [any] */
  tenon_status (*what_if)(const tenon_host *, const tenon_what_if_in *, tenon_what_if_out *out);
} tenon_host_explain;

#ifdef __cplusplus
}
#endif

#endif
