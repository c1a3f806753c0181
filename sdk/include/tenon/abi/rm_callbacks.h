/* What an RM in the same process is called with.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build. A callback that is NULL is not called. No callback throws or waits, and
 * everything is borrowed for the call. Calls about one session come one after another, but for `predicate`, which the
 * scheduler calls inside of a step, perhaps while another thread is in an other callback. Requests may be submitted
 * from all of them; registering and stepping is for none of them.
 */
#ifndef TENON_ABI_RM_CALLBACKS_H
#define TENON_ABI_RM_CALLBACKS_H

#include "rm_answers.h"
#include "rm_messages.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_rm_answers_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  const tenon_rm_message *const *messages;
  uint64_t message_count;
} tenon_rm_answers_in;

typedef struct tenon_rm_ended_in {
  uint32_t size;
  uint32_t why; /* TENON_RM_ENDED_* of transport.h */
} tenon_rm_ended_in;

typedef struct tenon_rm_callbacks {
  uint32_t size;
  uint32_t reserved; /* 0 */
  void *context;     /* the first argument of each */

  /* Answers to what was submitted and what the scheduler decided, in the order of each partition. An allocation with
   * `recovered` is one that the RM reported: it runs, and is not to be started. [io] */
  tenon_status (*answers)(void *context, const tenon_rm_answers_in *);

  /* May this ask run on this node? OK: yes; anything else: not now. Asked inside of the step that would place it,
   * before anybody hears of it. [cycle] */
  tenon_status (*predicate)(void *context, const tenon_rm_predicate *);

  /* An allocation that the RM should count from now on, told before its answer; TENON_RM_ASSUMED_ALLOCATION. [io] */
  tenon_status (*assumed)(void *context, const tenon_rm_assumption *);

  /* One that it should count no more; TENON_RM_FORGOTTEN_ALLOCATION. [io] */
  tenon_status (*forgotten)(void *context, const tenon_rm_assumption *);

  /* What an ask waits for, on change. [io] */
  tenon_status (*scheduling_state)(void *context, const tenon_rm_scheduling_state *);

  /* What happened, for people. [io] */
  tenon_status (*event)(void *context, const tenon_rm_event *);

  /* The outcome of a configuration that the RM submitted. [io] */
  tenon_status (*configuration)(void *context, const tenon_rm_configuration_answer *);

  /* Writes the RM's own state, for people, into a dump of everything. [any] */
  tenon_status (*state_dump)(void *context, tenon_message *words);

  /* The session is over. The last call. [io] */
  tenon_status (*ended)(void *context, const tenon_rm_ended_in *);
} tenon_rm_callbacks;

#ifdef __cplusplus
}
#endif

#endif
