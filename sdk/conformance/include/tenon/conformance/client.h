/* The client side of a transport, for `tenon plugin verify --client`: what an RM has that speaks its protocol.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * A vendor's own, and no part of the module: a shared library that exports `tenon_conformance_client_v1`. The checks
 * open it in the process where the transport is at work, connect, and play RMs by the port that it gives; what these
 * send and are told is compared, member by member, with what the scheduler behind the transport had. A transport that
 * opens a port of tenon.host.local needs none.
 */
#ifndef TENON_CONFORMANCE_CLIENT_H
#define TENON_CONFORMANCE_CLIENT_H

#include "tenon/abi/host_local.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_CONFORMANCE_CLIENT_SYMBOL "tenon_conformance_client_v1"

typedef struct tenon_conformance_connect_in {
  uint32_t size;
  uint32_t reserved;           /* 0 */
  tenon_text configuration;    /* that the transport was made with: JSON */
  const tenon_text *addresses; /* where it listens: "127.0.0.1:9444", "[::1]:9444", "unix:/run/tenon.sock" */
  uint64_t address_count;
} tenon_conformance_connect_in;

typedef struct tenon_conformance_client {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* What the protocol has no place for, by the names of rm_*.h: a member, "tenon_rm_ask.originator", the name of a
   * class in a priority, "tenon_rm_allocation.priority.name", or a message, "tenon_rm_event". The checks do not look
   * for it. */
  const char *const *lacks;
  uint64_t lack_count;

  /* Bytes that a message may have as `detail`; NULL: the protocol has no place for any. */
  const char *detail;
  uint64_t detail_length;

  /* A connection of its own, on which one RM enters. Its port stands until `close`. What its RM is told comes by the
   * callbacks of `enter`, on any thread of the client, one after another. */
  tenon_status (*connect)(const tenon_conformance_connect_in *, const tenon_local_port **port, tenon_message *error);

  /* Ends the connection without a goodbye, also one whose RM never entered; no callback runs after it returned. */
  void (*close)(const tenon_local_port *port);
} tenon_conformance_client;

/* The one exported symbol. */
extern TENON_EXPORT const tenon_conformance_client tenon_conformance_client_v1;

#ifdef __cplusplus
}
#endif

#endif
