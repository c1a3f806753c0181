/* Messages of the scheduler interface from an RM to the scheduler.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build. rm_messages.h says what holds for all of them; allocations and releases
 * are there.
 */
#ifndef TENON_ABI_RM_REQUESTS_H
#define TENON_ABI_RM_REQUESTS_H

#include "rm_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An RM makes itself known. */
typedef struct tenon_rm_registration {
  uint32_t size;
  uint32_t type; /* TENON_RM_REGISTRATION */
  tenon_text rm;
  tenon_text version; /* of its interface client */
  tenon_text policy_group;
  tenon_rm_pairs build_info;
  tenon_text config;           /* queues.yaml; wins over policy_group; secret */
  tenon_rm_pairs extra_config; /* secret */
  tenon_text detail;
} tenon_rm_registration;

/* An RM, or the scheduler for it, changes the configuration. */
typedef struct tenon_rm_configuration {
  uint32_t size;
  uint32_t type; /* TENON_RM_CONFIGURATION */
  tenon_text rm;
  tenon_text policy_group;
  tenon_text config;           /* queues.yaml; secret */
  tenon_rm_pairs extra_config; /* secret */
  tenon_text detail;
} tenon_rm_configuration;

typedef struct tenon_rm_application {
  uint32_t size;
  uint32_t type; /* TENON_RM_APPLICATION */
  tenon_text application;
  tenon_text queue; /* as asked for; placement rules decide */
  tenon_text partition;
  tenon_text user;
  const tenon_text *groups; /* none: the scheduler resolves them */
  uint32_t group_count;
  uint32_t user_present; /* 0: no user was sent; user and groups are empty then */
  tenon_rm_pairs tags;
  int64_t execution_timeout_ms;     /* with placeholder_ask: of the placeholders; 0 or less: none */
  tenon_rm_amounts placeholder_ask; /* all placeholders together */
  tenon_text gang_style;            /* hard, in any letter case; all else is soft */
  tenon_text detail;
} tenon_rm_application;

typedef struct tenon_rm_application_removal {
  uint32_t size;
  uint32_t type; /* TENON_RM_APPLICATION_REMOVAL */
  tenon_text application;
  tenon_text partition;
  tenon_text detail;
} tenon_rm_application_removal;

#define TENON_NODE_UNKNOWN_ACTION 0u
#define TENON_NODE_CREATE 1u
#define TENON_NODE_UPDATE 2u
#define TENON_NODE_DRAIN 3u
#define TENON_NODE_DECOMMISSION 4u
#define TENON_NODE_UNDRAIN 5u
#define TENON_NODE_CREATE_DRAINING 6u

/* A node that is new or changes. */
typedef struct tenon_rm_node {
  uint32_t size;
  uint32_t type; /* TENON_RM_NODE */
  tenon_text node;
  uint32_t action;   /* TENON_NODE_* */
  uint32_t reserved; /* 0 */
  tenon_rm_pairs attributes;
  tenon_rm_amounts schedulable;
  tenon_rm_amounts occupied;               /* by others than this scheduler */
  const tenon_rm_message *const *existing; /* a new node's: existing_count of tenon_rm_allocation */
  uint64_t existing_count;
  tenon_text detail;
} tenon_rm_node;

/* New, or in place of the ask with the same key. */
typedef struct tenon_rm_ask {
  uint32_t size;
  uint32_t type; /* TENON_RM_ASK */
  tenon_text key;
  tenon_text application; /* empty: one of its own */
  tenon_text partition;
  tenon_rm_amounts resources; /* of each allocation */
  tenon_rm_priority priority;
  int64_t execution_timeout_ms; /* of each allocation, from its placement; 0 or less: none */
  tenon_rm_pairs tags;
  tenon_text task_group;
  int32_t max_allocations;
  uint32_t placeholder; /* 0 or 1; only with a task group */
  uint32_t originator;  /* 0 or 1 */
  uint32_t reserved;    /* 0 */
  tenon_rm_preemption preemption;
  tenon_text detail;
} tenon_rm_ask;

/* The RM's answer to TENON_RM_CHECK. */
typedef struct tenon_rm_check_answer {
  uint32_t size;
  uint32_t type; /* TENON_RM_CHECK_ANSWER */
  tenon_text partition;
  uint64_t number;   /* of the check */
  uint32_t accepted; /* 0 or 1 */
  uint32_t reserved; /* 0 */
  tenon_text reason; /* of a refusal, for people */
  tenon_text detail;
} tenon_rm_check_answer;

/* What the RM refused it may accept by now; empty: any. */
typedef struct tenon_rm_check_again {
  uint32_t size;
  uint32_t type; /* TENON_RM_CHECK_AGAIN */
  tenon_text partition;
  tenon_text application;
  tenon_text key;
  tenon_text node;
  tenon_text detail;
} tenon_rm_check_again;

/* How far an RM is that registered with extra_config `recovery.hold`: nothing is placed for it before it is done. It
 * takes effect behind what was sent before it in the same session. */
typedef struct tenon_rm_recovery_report {
  uint32_t size;
  uint32_t type;     /* TENON_RM_RECOVERY_REPORT */
  uint32_t done;     /* 0 or 1: all that runs was reported, and scheduling begins */
  uint32_t reserved; /* 0 */
  tenon_text detail;
} tenon_rm_recovery_report;

#ifdef __cplusplus
}
#endif

#endif
