/* Host service admin: what people may change. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Every action names its caller, is checked against what the caller may do, goes into the journal as a command and is
 * told as an event, also when it was refused. A call waits until the action is done or refused.
 *
 * Who may: a caller whom the transport trusts with everything (TENON_CALLER_ALL) may do anything; others may act on
 * queues whose admin ACL, or that of a parent, names them, and on the applications in those queues. A move wants that
 * of both queues, a node or a partition that of the partition's root, reading the configuration again that of the root
 * of every partition.
 *
 * All: OK, done; DECLINED, the caller may not; UNRESOLVABLE, no such partition, queue, application, node or RM;
 * UNSCHEDULABLE, not possible in its state, of files: people sent another configuration since; INVALID_CONFIG, refused
 * for what was sent; RETRY, the scheduler is not ready, or stops; the words say more.
 */
#ifndef TENON_ABI_HOST_ADMIN_H
#define TENON_ABI_HOST_ADMIN_H

#include "host.h"
#include "rm_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_ADMIN "tenon.host.admin/1"

#define TENON_CALLER_ALL 1u

/* Who asks. */
typedef struct tenon_admin_caller {
  uint32_t size;
  uint32_t rights; /* 0, or TENON_CALLER_ALL */
  tenon_text user; /* not empty: of a token, a certificate, or the owner of the process */
  const tenon_text *groups;
  uint64_t group_count;
  tenon_text origin; /* where the call came from, for the record: "rest 10.0.0.7" */
} tenon_admin_caller;

/* Reads the files again also where they are as they were when people sent another configuration, which is thrown away.
 */
#define TENON_ADMIN_FORCED 1u

/* Needs TENON_CALLER_ALL where a configuration is sent. */
typedef struct tenon_admin_config_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  const tenon_admin_caller *caller;
  tenon_text rm;            /* empty: all RMs of the policy group */
  tenon_text policy_group;  /* empty: the RM's own; both empty: "default" */
  tenon_text configuration; /* queues.yaml; empty: what the deployment names for the group is read again */
  tenon_rm_pairs extra;     /* configuration beside it */
  uint32_t flags;           /* 0, or TENON_ADMIN_FORCED */
  uint32_t more_reserved;   /* 0 */
} tenon_admin_config_in;

typedef struct tenon_admin_config_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_message
      *error; /* given by the caller; words of a refusal, as of `tenon config check`, or of what was ignored */
  tenon_message *checksum; /* given by the caller, or NULL: of the configuration that was sent */
  tenon_message *old;      /* given by the caller, or NULL: the configuration before; secret */
  uint64_t old_length;     /* preset 0: bytes of it in all, also where it was cut */
  tenon_message *notes;    /* given by the caller, or NULL: a line each, what was replaced and what is not kept */
  uint64_t revision;       /* preset 0: of what is in force now */
} tenon_admin_config_out;

#define TENON_ADMIN_RECOVERY_DONE 1u /* `object` is an RM whose registration asked to hold */
#define TENON_ADMIN_DRAIN_NODE 2u
#define TENON_ADMIN_UNDRAIN_NODE 3u
#define TENON_ADMIN_STOP_QUEUE 4u /* nothing new is scheduled in it, new applications are refused */
#define TENON_ADMIN_START_QUEUE 5u
#define TENON_ADMIN_KILL_APPLICATION 6u /* it fails, what it has is released */
#define TENON_ADMIN_MOVE_APPLICATION 7u /* to the leaf `target`, with all it has */
#define TENON_ADMIN_LOG_LEVEL 8u        /* `object` is debug, info, warning or error */
#define TENON_ADMIN_STOP_PARTITION 9u   /* nothing is decided in it; of these three `object` is empty */
#define TENON_ADMIN_START_PARTITION 10u
#define TENON_ADMIN_DRAIN_PARTITION 11u /* it takes nothing new, and goes when it is empty */
/* Of these two `object` is empty, too. */
#define TENON_ADMIN_CANARY_BACK 12u  /* its applications have the partition's order of nodes again */
#define TENON_ADMIN_CANARY_AGAIN 13u /* one that went back is put in place once more */

/* On RMs and log levels: needs TENON_CALLER_ALL. */
typedef struct tenon_admin_act_in {
  uint32_t size;
  uint32_t action; /* TENON_ADMIN_* */
  const tenon_admin_caller *caller;
  tenon_text partition; /* "[rm]name", or "name" where one RM has it alone; empty where there is no need */
  tenon_text object;    /* node, queue path, application */
  tenon_text target;    /* where to, of a move */
  tenon_text reason;    /* for people, for the record */
} tenon_admin_act_in;

typedef struct tenon_admin_act_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_admin_act_out;

/* Needs TENON_CALLER_ALL. */
typedef struct tenon_admin_step_in {
  uint32_t size;
  uint32_t most; /* decisions; 0: 1 */
  const tenon_admin_caller *caller;
  tenon_text partition; /* empty: all, one decision each in turn */
} tenon_admin_step_in;

typedef struct tenon_admin_step_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  uint64_t decisions;   /* preset 0 */
  tenon_message *error; /* given by the caller */
} tenon_admin_step_out;

typedef struct tenon_host_admin {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Takes a configuration, whole or not at all. Not on the cycle thread. [any] */
  tenon_status (*update_config)(const tenon_host *, const tenon_admin_config_in *, tenon_admin_config_out *out);

  /* Says whether a configuration would be taken, and changes nothing; any caller. [any] */
  tenon_status (*validate_config)(const tenon_host *, const tenon_admin_config_in *, tenon_admin_config_out *out);

  /* Does one action. UNSUPPORTED: this host does not know it. Not on the cycle thread. [any] */
  tenon_status (*act)(const tenon_host *, const tenon_admin_act_in *, tenon_admin_act_out *out);

  /* Makes decisions; UNSCHEDULABLE where the scheduler runs by itself. Not on the cycle thread. [any] */
  tenon_status (*step)(const tenon_host *, const tenon_admin_step_in *, tenon_admin_step_out *out);
} tenon_host_admin;

#ifdef __cplusplus
}
#endif

#endif
