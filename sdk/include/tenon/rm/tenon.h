/* libtenon: the scheduler in the process of its resource managers.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 *   tenon_scheduler_open(&options, &scheduler, &error);
 *   tenon_rm_register(scheduler, &registration, &callbacks, &rm, &error);
 *   tenon_rm_submit(rm, messages, count, &accepted, &error);     answers come by the callbacks
 *   tenon_rm_leave(rm);
 *   tenon_scheduler_close(scheduler);
 *
 * With `recovery.hold` in the registration's extra_config nothing is placed before TENON_RM_RECOVERY_REPORT says done.
 *
 * Messages are structs of tenon/abi/rm_requests.h and rm_messages.h, answers those of rm_answers.h. Functions may be
 * called by several threads; none of one scheduler while or after it is closed. Statuses and words: base.h.
 */
#ifndef TENON_RM_TENON_H
#define TENON_RM_TENON_H

#include "tenon/abi/rm_callbacks.h"
#include "tenon/abi/rm_requests.h"
#include "tenon/abi/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tenon_scheduler tenon_scheduler;
typedef struct tenon_rm tenon_rm;

/* All of it 0: modules as they are found, policy group default with the built-in configuration, threads of its own. */
typedef struct tenon_scheduler_options {
  uint32_t size;
  uint32_t manual;        /* 1: nothing moves but by tenon_scheduler_step, which also calls the callbacks */
  int64_t start_ms;       /* manual: the time at the start, Unix milliseconds */
  tenon_text deployment;  /* file; empty: none */
  tenon_text queues;      /* text of queues.yaml for policy group default, in place of the deployment's groups */
  tenon_text module_path; /* a folder that is searched for modules besides */
  tenon_text journal;     /* file that is written anew, for `tenon simulate --replay`; empty: none */
} tenon_scheduler_options;

/* Opens and starts. INVALID_CONFIG with words about what is wrong where; nothing is left then. */
TENON_EXPORT tenon_status tenon_scheduler_open(const tenon_scheduler_options *, tenon_scheduler **out,
                                               tenon_message *error);

/* Manual mode: moves time to now_ms (less than before: it stays), takes what was submitted, makes up to max_decisions
 * in each partition, calls the callbacks. `made` may be NULL. UNSUPPORTED where the scheduler has threads of its own.
 */
TENON_EXPORT tenon_status tenon_scheduler_step(tenon_scheduler *, int64_t now_ms, uint32_t max_decisions,
                                               uint32_t *made);

/* Reads the deployment's policy groups again, or takes this text for group default; all of it or nothing. */
TENON_EXPORT tenon_status tenon_scheduler_reload(tenon_scheduler *, const tenon_text *queues, tenon_message *error);

/* Everything as JSON, for people: partitions, queues, applications, nodes, and what RMs say of themselves. Calls `take`
 * once, before it returns. */
TENON_EXPORT tenon_status tenon_scheduler_dump(tenon_scheduler *, void (*take)(void *context, tenon_text json),
                                               void *context);

/* What would become of asks that nobody has sent: a question in JSON and its answer in JSON, docs/what-if.md. Changes
 * nothing, and calls `take` once, before it returns. INVALID_CONFIG with words about what is wrong where; UNRESOLVABLE:
 * it means no partition, or several; UNSCHEDULABLE: a scheduler with threads of its own copies no partition of that
 * size; RETRY: it has no time within timeout_ms (0: 10,000), or stops. Not from a callback. */
TENON_EXPORT tenon_status tenon_scheduler_what_if(tenon_scheduler *, tenon_text question, uint32_t timeout_ms,
                                                  void (*take)(void *context, tenon_text json), void *context,
                                                  tenon_message *error);

/* Applies what was submitted, delivers answers, ends all sessions. Only close is left then. */
TENON_EXPORT void tenon_scheduler_stop(tenon_scheduler *);

/* Stops it, and frees it with all of its RMs. Not from a callback. */
TENON_EXPORT void tenon_scheduler_close(tenon_scheduler *);

/* Registers; an RM of the same name is ended and cleaned up first. `callbacks` is copied, its context lives until
 * `ended` was called. */
TENON_EXPORT tenon_status tenon_rm_register(tenon_scheduler *, const tenon_rm_registration *,
                                            const tenon_rm_callbacks *, tenon_rm **out, tenon_message *error);

/* Takes requests in their order; copies what it keeps. `accepted` of them are the scheduler's now. RETRY: there is too
 * much waiting, send the rest again later; INVALID_CONFIG: the one after them is malformed; DECLINED: the RM has ended,
 * register again. `accepted` and `error` may be NULL. */
TENON_EXPORT tenon_status tenon_rm_submit(tenon_rm *, const tenon_rm_message *const *messages, uint64_t message_count,
                                          uint64_t *accepted, tenon_message *error);

/* Says goodbye: what was submitted is still applied, its answers still come, then all its state is released. */
TENON_EXPORT tenon_status tenon_rm_leave(tenon_rm *);

#ifdef __cplusplus
}
#endif

#endif
