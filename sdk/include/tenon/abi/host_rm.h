/* Host service tenon.host.rm: how RMs reach the scheduler.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build.
 *
 * For transports, from their start until their stop returned: transport.h says what calls what. No call blocks on the
 * scheduler but enter.
 */
#ifndef TENON_ABI_HOST_RM_H
#define TENON_ABI_HOST_RM_H

#include "host.h"
#include "rm_answers.h"
#include "rm_messages.h"
#include "rm_requests.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_RM "tenon.host.rm/1"

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

  /* Says that answers up to `number` are on the RM's connection: the time that it has for checks begins. Called by a
   * transport whose RMs want proposals, when a TENON_RM_CHECK is written, not when it is taken to be written. [any] */
  tenon_status (*sent)(const tenon_host *, const tenon_rm_acknowledge_in *);
} tenon_host_rm;

#ifdef __cplusplus
}
#endif

#endif
