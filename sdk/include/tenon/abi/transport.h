/* Kind transport: connects RMs with the scheduler. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * A transport is named in `transports` of the deployment. It has threads of its own, speaks some protocol outwards and
 * the messages of rm_messages.h inwards, and knows nothing of partitions' state.
 *
 *   host                                    transport
 *   ----                                    ---------
 *   start(in: transport)                ->  listens
 *   rm->enter(transport, registration)  <-  an RM registers
 *   rm->submit(batch)                   <-  its requests, in the order of the batch
 *   deliver(batch of answers)           ->  queued for the RM; `taken` of them
 *   rm->signal(LOST)                    <-  its last stream is gone; BACK when it opens one again
 *   ended(session, why)                 ->  a newer registration, a timeout: its streams are closed
 *   stop(deadline)                      ->  tells RMs, lets queued answers go out, closes
 *
 * `rm` is the host service tenon.host.rm/1, listed in `needs`. A transport for people alone does without it.
 *
 * Numbers: answers for one RM about one partition are numbered from 1 at registration, without gaps. Those that were
 * not taken, and after LOST those that were not acknowledged, are delivered again under the same numbers.
 */
#ifndef TENON_ABI_TRANSPORT_H
#define TENON_ABI_TRANSPORT_H

#include "host.h"
#include "rm_answers.h"
#include "rm_messages.h"
#include "rm_requests.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_TRANSPORT "tenon.transport/1"

/* A new registration of one id ends the earlier one; a session is one registration, 0 is none. */
typedef uint64_t tenon_rm_session;

#define TENON_RM_WANTS_SCHEDULING_STATES 1u /* TENON_RM_SCHEDULING_STATE */
#define TENON_RM_WANTS_ASSUMPTIONS 2u       /* TENON_RM_ASSUMED_ALLOCATION, TENON_RM_FORGOTTEN_ALLOCATION */
#define TENON_RM_WANTS_CHECKS 4u            /* TENON_RM_PREDICATE, by the slot `check` */
#define TENON_RM_WANTS_EVENTS 8u            /* TENON_RM_EVENT */
#define TENON_RM_WANTS_PROPOSALS 16u        /* TENON_RM_CHECK: it answers later, with TENON_RM_CHECK_ANSWER */

typedef struct tenon_rm_enter_in {
  uint32_t size;
  uint32_t reserved;  /* 0 */
  uint64_t transport; /* of start: where the session's answers are delivered */
  const tenon_rm_registration *registration;
  uint32_t wants;     /* TENON_RM_WANTS_*, added up: what this RM is told or asked beside the rest */
  uint32_t reserved2; /* 0 */
} tenon_rm_enter_in;

typedef struct tenon_rm_enter_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_rm_enter_out;

typedef struct tenon_rm_submit_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  const tenon_rm_message *const *messages; /* each by its type as of rm_requests.h and rm_messages.h */
  uint64_t message_count;
} tenon_rm_submit_in;

typedef struct tenon_rm_submit_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  uint64_t accepted;    /* preset 0: the first so many are the host's now */
  tenon_message *error; /* given by the caller; words about the first one that was not accepted */
} tenon_rm_submit_out;

#define TENON_RM_LOST 1u     /* its last stream is gone */
#define TENON_RM_BACK 2u     /* it opened one again, without registering */
#define TENON_RM_SHUTDOWN 3u /* it said goodbye */

typedef struct tenon_rm_signal_in {
  uint32_t size;
  uint32_t signal; /* TENON_RM_LOST, TENON_RM_BACK, TENON_RM_SHUTDOWN */
  tenon_rm_session session;
} tenon_rm_signal_in;

typedef struct tenon_rm_acknowledge_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  tenon_text partition;
  uint64_t number; /* answers up to this one have left the process and are not wanted again */
} tenon_rm_acknowledge_in;

/* tenon.host.rm: how RMs reach the scheduler. From a transport's start until its stop returned. No call blocks on the
 * scheduler but enter. */
#define TENON_HOST_RM "tenon.host.rm/1"

typedef struct tenon_host_rm {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Registers an RM and waits for the outcome. INVALID_CONFIG: unknown policy group or bad configuration; EXHAUSTED:
   * too many RMs; RETRY: the scheduler stops or is not ready. [any] */
  tenon_status (*enter)(const tenon_host *, const tenon_rm_enter_in *, tenon_rm_enter_out *out);

  /* Takes requests; copies what it keeps. OK: all; RETRY: the first `accepted`, send the rest again later;
   * INVALID_CONFIG: the one after them is malformed; DECLINED: the session has ended. [any] */
  tenon_status (*submit)(const tenon_host *, const tenon_rm_submit_in *, tenon_rm_submit_out *out);

  /* Says what became of an RM's connection. DECLINED: the session has ended. [any] */
  tenon_status (*signal)(const tenon_host *, const tenon_rm_signal_in *);

  /* Lets the host forget answers. A transport whose RMs cannot lose any, as in one process, calls it as soon as they
   * have them. [any] */
  tenon_status (*acknowledge)(const tenon_host *, const tenon_rm_acknowledge_in *);
} tenon_host_rm;

typedef struct tenon_transport_start_in {
  uint32_t size;
  uint32_t reserved;  /* 0 */
  uint64_t transport; /* names this instance to tenon.host.rm */
} tenon_transport_start_in;

typedef struct tenon_transport_stop_in {
  uint32_t size;
  uint32_t drain_ms; /* how long queued answers may take to go out */
} tenon_transport_stop_in;

typedef struct tenon_transport_deliver_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  tenon_text partition;  /* as the RM names it; empty: of none that it has, as the RM as a whole; numbered apart */
  uint64_t first_number; /* of messages[0]; the others follow without gaps */
  const tenon_rm_message *const *messages;
  uint64_t message_count;
} tenon_transport_deliver_in;

typedef struct tenon_transport_deliver_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t taken;    /* preset 0: the first so many; the host delivers the rest again, later */
} tenon_transport_deliver_out;

/* Why a session ended. */
#define TENON_RM_ENDED_REPLACED 1u /* the RM registered again: ABORTED for the older streams */
#define TENON_RM_ENDED_TIMEOUT 2u  /* it was away too long: RESYNC, "register again" when it comes */
#define TENON_RM_ENDED_OVERFLOW 3u /* too many answers waited for it: likewise */
#define TENON_RM_ENDED_SHUTDOWN 4u /* it said goodbye */
#define TENON_RM_ENDED_STOPPING 5u /* the scheduler stops */

typedef struct tenon_transport_ended_in {
  uint32_t size;
  uint32_t why; /* TENON_RM_ENDED_* */
  tenon_rm_session session;
} tenon_transport_ended_in;

typedef struct tenon_transport_check_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  tenon_text partition; /* as the RM names it */
  tenon_text application;
  const tenon_rm_predicate *question;
} tenon_transport_check_in;

typedef struct tenon_transport_check_out {
  uint32_t size;
  uint32_t fits; /* preset 0; 1: it may run there */
} tenon_transport_check_out;

typedef struct tenon_transport_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Begins to listen; RMs may enter from now on, also before it returns. Required. [io] */
  tenon_status (*start)(tenon_instance *, const tenon_transport_start_in *, tenon_message *error);

  /* Ends all connections and threads; host services are not called after it returned. Required. [io] */
  tenon_status (*stop)(tenon_instance *, const tenon_transport_stop_in *, tenon_message *error);

  /* Takes answers for one RM without waiting for it: a slow RM's are not taken. OK; RETRY: not all, there is room again
   * soon; DECLINED: this RM has no connection here. Required. [io] */
  tenon_status (*deliver)(tenon_instance *, const tenon_transport_deliver_in *, tenon_transport_deliver_out *out);

  /* Says that a session ended: nothing more is delivered to it, its handle is void. Optional. [io] */
  tenon_status (*ended)(tenon_instance *, const tenon_transport_ended_in *);

  /* Asks an RM that wants checks, inside of a step, and waits for its answer: only for RMs that answer at once, as in
   * one process. Beside another slot of the instance that runs at the same time on another thread. Optional: then no RM
   * of the transport is asked. [cycle] */
  tenon_status (*check)(tenon_instance *, const tenon_transport_check_in *, tenon_transport_check_out *out);
} tenon_transport_v1;

#ifdef __cplusplus
}
#endif

#endif
