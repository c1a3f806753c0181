/* Host service tenon.host.local: where a transport and the program that loaded it meet in one process.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * DRAFT: loads only on an equal host build.
 *
 * A program that embeds the scheduler offers the service; a transport opens its port when it starts and closes it when
 * it stops, and the program's RMs enter by that port. A program that offers none has no use for such a transport.
 */
#ifndef TENON_ABI_HOST_LOCAL_H
#define TENON_ABI_HOST_LOCAL_H

#include "host.h"
#include "rm_callbacks.h"
#include "transport.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_LOCAL "tenon.host.local/1"

typedef struct tenon_local_enter_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  const tenon_rm_registration *registration;
  const tenon_rm_callbacks *callbacks; /* valid until `ended` was called */
} tenon_local_enter_in;

typedef struct tenon_local_enter_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
  tenon_message *error; /* given by the caller; words of a status that is not OK */
} tenon_local_enter_out;

typedef struct tenon_local_leave_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_rm_session session;
} tenon_local_leave_in;

/* Functions may be called by several threads at once. */
typedef struct tenon_local_port {
  uint32_t size;
  uint32_t reserved; /* 0 */
  void *context;     /* the first argument of each */

  /* As that of tenon_host_rm. [any] */
  tenon_status (*enter)(void *context, const tenon_local_enter_in *, tenon_local_enter_out *out);

  /* As that of tenon_host_rm. [any] */
  tenon_status (*submit)(void *context, const tenon_rm_submit_in *, tenon_rm_submit_out *out);

  /* As signal of tenon_host_rm with TENON_RM_SHUTDOWN. [any] */
  tenon_status (*leave)(void *context, const tenon_local_leave_in *);

  /* Asks all RMs for their state and calls `take` with the words of each. [any] */
  tenon_status (*dump)(void *context, void (*take)(void *taker, tenon_rm_session, tenon_text words), void *taker);
} tenon_local_port;

typedef struct tenon_host_local {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* The port stands where it is until it is closed. [io] */
  tenon_status (*open)(const tenon_host *, const tenon_local_port *);

  /* Ends what open began. [io] */
  tenon_status (*close)(const tenon_host *, const tenon_local_port *);
} tenon_host_local;

#ifdef __cplusplus
}
#endif

#endif
