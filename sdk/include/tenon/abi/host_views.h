/* What a snapshot shows: RMs, partitions, queues, nodes, users and groups as flat structs, and applications with them.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build.
 *
 * host_read.h opens snapshots. Every list is {first, count, stride}: the next element is `stride` bytes on, so that
 * elements may grow. States and policies are words, as people and the scheduler interface know them. Amounts are in
 * the scheduler's units: vcore in thousandths, memory in bytes. Times are Unix milliseconds, 0: never.
 */
#ifndef TENON_ABI_HOST_VIEWS_H
#define TENON_ABI_HOST_VIEWS_H

#include "host_application_views.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_VIEW_SCHEDULABLE 1u
#define TENON_VIEW_RESERVED 2u

typedef struct tenon_view_node {
  uint32_t size;
  uint32_t flags; /* TENON_VIEW_SCHEDULABLE, TENON_VIEW_RESERVED */
  tenon_text id;
  tenon_rm_pairs attributes;
  tenon_rm_amounts capacity;
  tenon_rm_amounts allocated;
  tenon_rm_amounts occupied;
  tenon_rm_amounts available;
  const tenon_view_allocation *const *allocations; /* this scheduler's and foreign ones */
  uint64_t allocation_count;
  tenon_view_texts reservations; /* "application/key" */
  tenon_view_texts devices;      /* by type: "gpu: 1000 500", what each device has free */
} tenon_view_node;

#define TENON_VIEW_LEAF 1u
#define TENON_VIEW_MANAGED 2u /* the configuration names it */
#define TENON_VIEW_NO_PARENT UINT32_MAX

typedef struct tenon_view_queue {
  uint32_t size;
  uint32_t flags;   /* TENON_VIEW_LEAF, TENON_VIEW_MANAGED */
  tenon_text path;  /* "root.a.b" */
  uint32_t parent;  /* index in the partition's queues, or TENON_VIEW_NO_PARENT */
  int32_t priority; /* highest of what waits, with offsets */
  tenon_text state;
  tenon_rm_amounts allocated;
  tenon_rm_amounts pending;
  tenon_rm_amounts preempting;
  tenon_rm_amounts guaranteed;
  tenon_rm_amounts max;       /* a type that is not there is unlimited */
  tenon_rm_amounts headroom;  /* as max: what is left below all limits of it and its parents */
  tenon_rm_pairs properties;  /* in force, inherited ones too */
  tenon_view_texts accepted;  /* applications that wait for their first allocation */
  uint64_t running;           /* applications */
  uint64_t most_applications; /* 0: unlimited */
  tenon_rm_pairs template_properties;
  tenon_rm_amounts template_guaranteed;
  tenon_rm_amounts template_max;
  uint64_t template_applications;
} tenon_view_queue;

/* Of one user or group in one queue. */
typedef struct tenon_view_usage {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text name;
  tenon_text queue;
  tenon_rm_amounts usage;
  tenon_rm_amounts max;       /* limits; not present where there are none */
  uint64_t most_applications; /* 0: unlimited */
  tenon_view_texts running;   /* applications */
} tenon_view_usage;

typedef struct tenon_view_partition {
  uint32_t size;
  uint32_t preemption; /* 1: for guarantees, 2: for lowered maxima; added up */
  tenon_text name;     /* "[rm]name" */
  tenon_text rm;
  tenon_text short_name; /* as the RM says it */
  tenon_text state;
  int64_t since_ms; /* in that state */
  tenon_text node_sort;
  const tenon_text *weight_names; /* of the node order, weight_count of them, and their weights */
  const double *weights;
  uint64_t weight_count;
  tenon_rm_amounts capacity;
  tenon_rm_amounts used;
  tenon_rm_amounts applications; /* how many are in each state */
  uint64_t node_count;
  uint64_t allocation_count;
  tenon_view_list queues; /* tenon_view_queue; depth first, root first */
  tenon_view_list nodes;  /* tenon_view_node; by id */
  tenon_view_list active; /* tenon_view_application; by submission */
  tenon_view_list ended;  /* tenon_view_application; by submission */
  tenon_view_list users;  /* tenon_view_usage */
  tenon_view_list groups; /* tenon_view_usage */
} tenon_view_partition;

typedef struct tenon_view_rm {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text id;
  tenon_text state;
  tenon_text version;
  tenon_text policy_group;
  tenon_text configuration; /* queues.yaml, as it is in force */
  tenon_text checksum;      /* of it */
  tenon_rm_pairs build;     /* what the RM says of itself */
  tenon_rm_pairs extra;     /* configuration beside queues.yaml */
  int64_t registered_ms;
  uint32_t connected;        /* 0 or 1 */
  uint32_t held;             /* 0 or 1; 1: its recovery is not done, nothing is scheduled for it */
  uint32_t throttled;        /* 0 or 1; 1: it does not take its answers */
  uint32_t reserved_after;   /* 0 */
  int64_t since_ms;          /* connected or not connected, as far as somebody looked */
  uint64_t waiting_requests; /* in its mailbox */
  uint64_t waiting_answers;  /* not acknowledged */
  uint64_t retries;          /* submissions that were told to come again */
} tenon_view_rm;

/* A configuration that the deployment names; RMs may use it or not. */
typedef struct tenon_view_policy_group {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text name;
  tenon_text configuration; /* queues.yaml, as it is in force */
  tenon_text checksum;      /* of it */
} tenon_view_policy_group;

typedef struct tenon_view {
  uint32_t size;
  uint32_t wanted;               /* what it has, TENON_READ_*; more than was asked for, perhaps */
  uint64_t moment;               /* rises from snapshot to snapshot */
  int64_t now_ms;                /* the scheduler's clock */
  int64_t started_ms;            /* of the process */
  tenon_view_list rms;           /* tenon_view_rm */
  tenon_view_list partitions;    /* tenon_view_partition */
  tenon_view_list policy_groups; /* tenon_view_policy_group; by name */
} tenon_view;

#ifdef __cplusplus
}
#endif

#endif
