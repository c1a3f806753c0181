/* Messages of the scheduler interface from the scheduler to an RM.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build. rm_messages.h says what holds for all of them; allocations and releases
 * are there.
 */
#ifndef TENON_ABI_RM_ANSWERS_H
#define TENON_ABI_RM_ANSWERS_H

#include "rm_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An ask or an allocation was refused. */
typedef struct tenon_rm_rejected_ask {
  uint32_t size;
  uint32_t type; /* TENON_RM_REJECTED_ASK, TENON_RM_REJECTED_ALLOCATION */
  tenon_text key;
  tenon_text application;
  tenon_text reason; /* for people */
  tenon_text detail;
} tenon_rm_rejected_ask;

/* An application or a node was accepted or refused. */
typedef struct tenon_rm_verdict {
  uint32_t size;
  uint32_t type;     /* TENON_RM_{ACCEPTED,REJECTED}_{APPLICATION,NODE} */
  tenon_text id;     /* of the application or node */
  tenon_text reason; /* for people; empty where accepted */
  tenon_text detail;
} tenon_rm_verdict;

typedef struct tenon_rm_updated_application {
  uint32_t size;
  uint32_t type; /* TENON_RM_UPDATED_APPLICATION */
  tenon_text application;
  tenon_text state;
  int64_t since_ns; /* Unix nanoseconds */
  tenon_text words; /* why, in one line with its numbers; for people, but a timeout of a gang begins with
                       "ResourceReservationTimeout" */
  tenon_text detail;
} tenon_rm_updated_application;

/* May this ask run on this node? */
typedef struct tenon_rm_predicate {
  uint32_t size;
  uint32_t type; /* TENON_RM_PREDICATE */
  tenon_text key;
  tenon_text node;
  uint32_t allocate; /* 1: for an allocation, 0: for a reservation */
  uint32_t reserved; /* 0 */
  tenon_text detail;
} tenon_rm_predicate;

/* What an RM should count on a node ahead of time, or count no more; node is empty where forgotten. */
typedef struct tenon_rm_assumption {
  uint32_t size;
  uint32_t type; /* TENON_RM_ASSUMED_ALLOCATION, TENON_RM_FORGOTTEN_ALLOCATION */
  tenon_text key;
  tenon_text node;
  tenon_text detail;
} tenon_rm_assumption;

#define TENON_SCHEDULING_UNKNOWN 0u
#define TENON_SCHEDULING_SKIPPED 1u   /* a limit holds it */
#define TENON_SCHEDULING_SCHEDULED 2u /* placed */
#define TENON_SCHEDULING_RESERVED 3u  /* waits for a node that is kept for it */
#define TENON_SCHEDULING_FAILED 4u    /* no node can hold it now */

/* What an ask waits for; told on change. */
typedef struct tenon_rm_scheduling_state {
  uint32_t size;
  uint32_t type; /* TENON_RM_SCHEDULING_STATE */
  tenon_text application;
  tenon_text key;
  uint32_t state;    /* TENON_SCHEDULING_* */
  uint32_t reserved; /* 0 */
  tenon_text reason; /* for people */
  tenon_text detail;
} tenon_rm_scheduling_state;

typedef struct tenon_rm_configuration_answer {
  uint32_t size;
  uint32_t type;         /* TENON_RM_CONFIGURATION_ANSWER */
  uint32_t success;      /* 0 or 1 */
  uint32_t reserved;     /* 0 */
  tenon_text old_config; /* secret */
  tenon_text reason;     /* for people: of a failure, or what was ignored */
  tenon_text detail;
} tenon_rm_configuration_answer;

#define TENON_EVENT_UNKNOWN 0u
#define TENON_EVENT_REQUEST 1u
#define TENON_EVENT_APPLICATION 2u
#define TENON_EVENT_NODE 3u
#define TENON_EVENT_QUEUE 4u
#define TENON_EVENT_USER_GROUP 5u

typedef struct tenon_rm_event {
  uint32_t size;
  uint32_t type; /* TENON_RM_EVENT */
  tenon_text object;
  tenon_text group; /* application of an ask, queue of an application */
  tenon_text reference;
  tenon_text reason;
  tenon_text words;       /* for people */
  int64_t at_ns;          /* Unix nanoseconds */
  uint32_t of;            /* TENON_EVENT_* */
  uint32_t change;        /* 0 none, 1 set, 2 add, 3 remove */
  uint32_t change_detail; /* the interface's number, e.g. 302: a node became schedulable */
  uint32_t reserved;      /* 0 */
  tenon_rm_amounts resources;
  tenon_text detail;
} tenon_rm_event;

/* May this ask run there? It holds its place already; the RM answers with TENON_RM_CHECK_ANSWER in time, else it is
 * undone and perhaps asked again. An accepted one follows as TENON_RM_ALLOCATION. */
typedef struct tenon_rm_check {
  uint32_t size;
  uint32_t type; /* TENON_RM_CHECK */
  tenon_text partition;
  uint64_t number; /* of this partition; the answer repeats it */
  tenon_text application;
  tenon_text key;
  tenon_text node;
  tenon_rm_amounts resources;
  tenon_rm_pairs tags;
  tenon_text detail;
  uint32_t allocate; /* 1: room is taken; 0: its room is the placeholder's on this node, or it would wait for some */
  uint32_t reserved; /* 0 */
  tenon_text placeholder_key;  /* of the placeholder that it would replace; empty: none */
  tenon_text placeholder_uuid; /* which one of its ask */
} tenon_rm_check;

/* Whether the RM is held: the answer to TENON_RM_RECOVERY_REPORT. */
typedef struct tenon_rm_recovery_state {
  uint32_t size;
  uint32_t type;     /* TENON_RM_RECOVERY_STATE */
  uint32_t held;     /* 0 or 1: nothing is placed for it before its recovery is done */
  uint32_t reserved; /* 0 */
  tenon_text detail;
} tenon_rm_recovery_state;

/* A check that needs no answer any more: it was refused or late, or its ask, node or application is gone. */
typedef struct tenon_rm_check_over {
  uint32_t size;
  uint32_t type; /* TENON_RM_CHECK_OVER */
  tenon_text partition;
  uint64_t number;
  tenon_text application;
  tenon_text key;
  tenon_text node;
  tenon_text reason; /* for people */
  tenon_text detail;
} tenon_rm_check_over;

#ifdef __cplusplus
}
#endif

#endif
