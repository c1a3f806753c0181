/* What a snapshot shows of applications: their asks and allocations as flat structs, and the lists of all views.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build. host_views.h says what holds for all views.
 */
#ifndef TENON_ABI_HOST_APPLICATION_VIEWS_H
#define TENON_ABI_HOST_APPLICATION_VIEWS_H

#include "rm_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Never grows. */
typedef struct tenon_view_texts {
  const tenon_text *texts;
  uint64_t count;
} tenon_view_texts;

/* Elements of a type that the member's comment names. Never grows. */
typedef struct tenon_view_list {
  const void *first;
  uint64_t count;
  uint64_t stride; /* bytes */
} tenon_view_list;

#define TENON_VIEW_PLACEHOLDER 1u
#define TENON_VIEW_ORIGINATOR 2u
#define TENON_VIEW_REPLACED 4u      /* allocation: it took the place of a placeholder */
#define TENON_VIEW_PREEMPTED 8u     /* allocation: asked to give way */
#define TENON_VIEW_RELEASED 16u     /* allocation: its end is not confirmed yet */
#define TENON_VIEW_FOREIGN 32u      /* allocation: not this scheduler's */
#define TENON_VIEW_PREEMPTS 64u     /* ask: others were preempted for it */
#define TENON_VIEW_SCALES_UP 128u   /* ask: the RM was told that no node can hold it */
#define TENON_VIEW_TRIED 256u       /* ask: the scheduler looked at it */
#define TENON_VIEW_PREEMPTIBLE 512u /* ask and allocation: it may be preempted */

typedef struct tenon_view_allocation {
  uint32_t size;
  uint32_t flags; /* TENON_VIEW_* */
  tenon_text key;
  tenon_text application; /* empty: foreign */
  tenon_text node;
  tenon_text state;
  tenon_text task_group;
  tenon_text replaced_by; /* of a placeholder: key of the replacement under way */
  tenon_text devices;     /* those that it holds */
  tenon_rm_amounts resources;
  tenon_rm_pairs tags;
  uint64_t sequence;    /* tells allocations of one key apart */
  int64_t requested_ms; /* of one that took the place of a placeholder: when that was */
  int64_t bound_ms;
  int32_t priority;
  uint32_t reserved; /* 0 */
} tenon_view_allocation;

/* What held an ask, once. */
typedef struct tenon_view_log_entry {
  uint32_t size;
  int32_t count;
  tenon_text words;
  int64_t last_ms;
} tenon_view_log_entry;

typedef struct tenon_view_ask {
  uint32_t size;
  uint32_t flags; /* TENON_VIEW_* */
  tenon_text key;
  tenon_text application;
  tenon_text task_group;
  tenon_text required_node;
  tenon_text blocker; /* what it waits for; empty: nothing */
  tenon_rm_amounts resources;
  tenon_rm_pairs tags;
  tenon_view_list log; /* tenon_view_log_entry */
  int64_t created_ms;
  int32_t priority;
  int32_t pending;   /* allocations that wait */
  int32_t most;      /* allocations in all */
  uint32_t reserved; /* 0 */
} tenon_view_ask;

typedef struct tenon_view_state_change {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text state;
  int64_t at_ms;
} tenon_view_state_change;

typedef struct tenon_view_task_group {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text name;
  tenon_rm_amounts least; /* of the first placeholder */
  int64_t count;
  int64_t replaced;
  int64_t timed_out;
} tenon_view_task_group;

#define TENON_VIEW_PAST_USED 0u /* ended otherwise than by the next two */
#define TENON_VIEW_PAST_PREEMPTED 1u
#define TENON_VIEW_PAST_PLACEHOLDER 2u

/* What allocations that ended used on nodes of one type: of each its amount times its whole seconds. */
typedef struct tenon_view_past_use {
  uint32_t size;
  uint32_t what;            /* TENON_VIEW_PAST_* */
  tenon_text instance_type; /* "UNKNOWN" where the node did not say */
  tenon_rm_amounts amount_seconds;
} tenon_view_past_use;

typedef struct tenon_view_application {
  uint32_t size;
  int32_t priority; /* highest of its asks */
  tenon_text id;
  tenon_text queue;
  tenon_text user;
  tenon_view_texts groups;
  tenon_text state;
  tenon_text words; /* why it is in its state */
  tenon_rm_amounts allocated;
  tenon_rm_amounts placeholders;
  tenon_rm_amounts pending;
  tenon_rm_amounts most_allocated; /* of each type, ever: in `allocated` or in `placeholders` */
  tenon_rm_pairs tags;
  tenon_view_list asks;          /* tenon_view_ask; pending ones, in the order in which they would be tried */
  tenon_view_list allocations;   /* tenon_view_allocation */
  tenon_view_list state_log;     /* tenon_view_state_change */
  tenon_view_list task_groups;   /* tenon_view_task_group */
  tenon_view_texts reservations; /* nodes */
  int64_t submitted_ms;
  int64_t started_ms;
  int64_t finished_ms;
  int64_t not_before_ms;         /* its queue's order leaves it out until then; 0: it does not, or nobody knows when */
  tenon_view_list past;          /* tenon_view_past_use; by `what`, then by type */
  tenon_view_texts reserved_for; /* keys of the asks, in the order of `reservations` */
} tenon_view_application;

#ifdef __cplusplus
}
#endif

#endif
