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
 *   rm->sent(number)                    <-  a check is on the RM's connection
 *   rm->signal(LOST)                    <-  its last stream is gone; BACK when it opens one again
 *   ended(session, why)                 ->  a newer registration, a timeout: its streams are closed
 *   stop(deadline)                      ->  tells RMs, lets queued answers go out, closes
 *
 * `rm` is the host service tenon.host.rm/1 of host_rm.h, listed in `needs`. A transport for people alone does without
 * it.
 *
 * Numbers: answers for one RM about one partition are numbered from 1 at registration, without gaps. Those that were
 * not taken, and after LOST those that were not acknowledged, are delivered again under the same numbers.
 */
#ifndef TENON_ABI_TRANSPORT_H
#define TENON_ABI_TRANSPORT_H

#include "host.h"
#include "host_rm.h"
#include "rm_answers.h"
#include "rm_messages.h"
#include "rm_requests.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_TRANSPORT "tenon.transport/1"

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

  /* Ends all connections and threads; host services are not called after it returned. Does nothing where it was not
   * started, or is stopped. It may be started again. Required. [io] */
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
