/* Messages of the scheduler interface as flat structs: their types, values, and those that go both ways.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build.
 *
 * One set of structs for all dialects of the interface: numbers are those of TENON_*, and a transport
 * translates. Every message starts with `size` and `type`, and lists of messages are lists of pointers, so that
 * each may grow. Everything is borrowed for the call that passes it. `detail` is the sender's: what a message had
 * on the wire that these structs do not know. It is opaque, may be empty, and comes back with an answer that
 * repeats the message.
 */
#ifndef TENON_ABI_RM_MESSAGES_H
#define TENON_ABI_RM_MESSAGES_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of rm_requests.h: from an RM to the scheduler. */
#define TENON_RM_REGISTRATION 1u
#define TENON_RM_CONFIGURATION 2u
#define TENON_RM_APPLICATION 3u
#define TENON_RM_APPLICATION_REMOVAL 4u
#define TENON_RM_NODE 5u
#define TENON_RM_ASK 6u
#define TENON_RM_CHECK_ANSWER 7u
#define TENON_RM_CHECK_AGAIN 8u
#define TENON_RM_RECOVERY_REPORT 9u
/* Of this header: both ways. */
#define TENON_RM_ALLOCATION 16u
#define TENON_RM_RELEASE 17u
#define TENON_RM_ASK_RELEASE 18u
/* Of rm_answers.h: from the scheduler to an RM. */
#define TENON_RM_RESYNC 32u
#define TENON_RM_REJECTED_ASK 33u
#define TENON_RM_REJECTED_ALLOCATION 34u
#define TENON_RM_REJECTED_APPLICATION 35u
#define TENON_RM_ACCEPTED_APPLICATION 36u
#define TENON_RM_UPDATED_APPLICATION 37u
#define TENON_RM_REJECTED_NODE 38u
#define TENON_RM_ACCEPTED_NODE 39u
#define TENON_RM_PREDICATE 48u
/* 49 and 50 were of predicates of preemption, and are not used again. */
#define TENON_RM_ASSUMED_ALLOCATION 51u
#define TENON_RM_FORGOTTEN_ALLOCATION 52u
#define TENON_RM_SCHEDULING_STATE 53u
#define TENON_RM_CONFIGURATION_ANSWER 54u
#define TENON_RM_EVENT 55u
#define TENON_RM_CHECK 56u
#define TENON_RM_CHECK_OVER 57u
#define TENON_RM_RECOVERY_STATE 58u

/* How any message starts. */
typedef struct tenon_rm_message {
  uint32_t size;
  uint32_t type; /* TENON_RM_* */
} tenon_rm_message;

/* Names and values in parallel, by name in the order of bytes, no name twice. Never grows, like tenon_text. */
typedef struct tenon_rm_pairs {
  const tenon_text *names;
  const tenon_text *values;
  uint64_t count;
} tenon_rm_pairs;

/* Amounts by resource type, in the order of bytes, no type twice. Never grows. */
typedef struct tenon_rm_amounts {
  const tenon_text *types;
  const int64_t *values;
  uint32_t count;
  uint32_t present; /* 0: not sent at all, which in an update means unchanged; 1: sent, perhaps empty */
} tenon_rm_amounts;

#define TENON_PRIORITY_ABSENT 0u
#define TENON_PRIORITY_VALUE 1u
#define TENON_PRIORITY_CLASS 2u
#define TENON_PRIORITY_EMPTY 3u /* sent, and says nothing */

/* Never grows. */
typedef struct tenon_rm_priority {
  uint32_t kind;   /* TENON_PRIORITY_* */
  int32_t value;   /* higher goes first */
  tenon_text name; /* of a class that the configuration gives a value */
} tenon_rm_priority;

/* Never grows. */
typedef struct tenon_rm_preemption {
  uint32_t present;     /* 0: may be preempted, preempts nobody; the fields below are 0 then */
  uint32_t allow_self;  /* 0 or 1: may be preempted */
  uint32_t allow_other; /* 0 or 1: may preempt */
  uint32_t reserved;    /* 0 */
} tenon_rm_preemption;

/* A running allocation; from an RM and without node, an ask. */
typedef struct tenon_rm_allocation {
  uint32_t size;
  uint32_t type; /* TENON_RM_ALLOCATION */
  tenon_text key;
  tenon_text uuid; /* of this allocation of the ask */
  tenon_text id;   /* what some RMs call it instead */
  tenon_text application;
  tenon_text partition;
  tenon_text queue;
  tenon_text node;
  tenon_rm_amounts resources;
  tenon_rm_priority priority;
  tenon_rm_pairs tags;
  tenon_text task_group;
  uint32_t placeholder; /* 0 or 1 */
  uint32_t originator;  /* 0 or 1: the one from which the others of the application come */
  tenon_rm_preemption preemption;
  tenon_text detail;
  uint32_t recovered; /* to an RM, 0 or 1: it reported this one itself, which runs already; there is nothing to start */
  uint32_t reserved;  /* 0 */
} tenon_rm_allocation;

#define TENON_TERMINATION_UNKNOWN 0u
#define TENON_TERMINATION_STOPPED_BY_RM 1u
#define TENON_TERMINATION_TIMEOUT 2u
#define TENON_TERMINATION_PREEMPTED 3u
#define TENON_TERMINATION_REPLACED 4u /* a placeholder, by a real allocation */
#define TENON_TERMINATION_FAILED 5u   /* the RM could not start it */

/* Where no uuid and no id names one allocation, and the RM wishes the end: of what. */
#define TENON_RELEASE_ALL 0u         /* the allocations, and what is pending of their asks */
#define TENON_RELEASE_ALLOCATIONS 1u /* pending asks stay */

/* The end of allocations, wished, told or confirmed; without key, uuid and id: all of the application. Told with a key
 * alone to an RM that asks by tenon_rm_allocation: its ask is withdrawn, nothing of which ran. */
typedef struct tenon_rm_release {
  uint32_t size;
  uint32_t type; /* TENON_RM_RELEASE */
  tenon_text partition;
  tenon_text application;
  tenon_text key;
  tenon_text uuid;
  tenon_text id;        /* as of tenon_rm_allocation */
  uint32_t termination; /* TENON_TERMINATION_*; a confirmation repeats it */
  uint32_t what;        /* from an RM: TENON_RELEASE_* */
  tenon_text words;     /* for people */
  tenon_text detail;
  tenon_text preemptor; /* to an RM: key of the ask that a victim of preemption ends for; empty: for none */
} tenon_rm_release;

/* The end of asks; without key: all of the application. Without application: those of the key in every one. */
typedef struct tenon_rm_ask_release {
  uint32_t size;
  uint32_t type; /* TENON_RM_ASK_RELEASE */
  tenon_text partition;
  tenon_text application;
  tenon_text key;
  uint32_t termination; /* TENON_TERMINATION_* */
  uint32_t reserved;    /* 0 */
  tenon_text words;     /* for people */
  tenon_text detail;
} tenon_rm_ask_release;

#ifdef __cplusplus
}
#endif

#endif
