/* Host service read: what the scheduler has, as of one moment. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * A snapshot is taken between two decisions, never changes, and is shared by all who read: opening one again soon
 * gives the same one. It has only what was wanted. Everything reachable from a snapshot is valid until it is closed.
 */
#ifndef TENON_ABI_HOST_READ_H
#define TENON_ABI_HOST_READ_H

#include "host.h"
#include "host_views.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_HOST_READ "tenon.host.read/1"

/* What a snapshot has beside RMs and partitions; add them up. */
#define TENON_READ_QUEUES 1u
#define TENON_READ_NODES 2u
#define TENON_READ_APPLICATIONS 4u /* those that have not ended */
#define TENON_READ_ENDED 8u        /* rejected, completed and failed ones, until they expire */
#define TENON_READ_ASKS 16u        /* of the applications */
#define TENON_READ_ALLOCATIONS 32u /* of the applications, and of the nodes where those are wanted */
#define TENON_READ_USAGE 64u       /* of users and groups */
#define TENON_READ_ALL 127u

typedef struct tenon_read_open_in {
  uint32_t size;
  uint32_t wanted;      /* TENON_READ_*; 0: RMs and partitions alone */
  tenon_text partition; /* as in [rm]name; empty: all. Others may be there, without anything in them */
  uint64_t newer_than;  /* a moment, of an earlier snapshot; 0: any */
  uint32_t timeout_ms;  /* how long to wait for a snapshot; 0: 10,000 */
  uint32_t most_age_ms; /* how old an earlier one may be; 0: as the host likes */
} tenon_read_open_in;

typedef struct tenon_read_open_out {
  uint32_t size;
  uint32_t reserved;      /* 0 */
  uint64_t snapshot;      /* to close; preset 0 */
  const tenon_view *view; /* valid until it is closed */
  tenon_message *error;   /* given by the caller; words of a status that is not OK */
} tenon_read_open_out;

typedef struct tenon_read_close_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t snapshot;
} tenon_read_close_in;

typedef struct tenon_host_read {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Opens a snapshot; waits until there is one. RETRY: none within the time; EXHAUSTED: too many are open;
   * UNSUPPORTED: a wish that this host does not know. Not on the cycle thread. [any] */
  tenon_status (*open)(const tenon_host *, const tenon_read_open_in *, tenon_read_open_out *out);

  /* Gives a snapshot back. UNSUPPORTED: there is none of that number. [any] */
  tenon_status (*close)(const tenon_host *, const tenon_read_close_in *);
} tenon_host_read;

#ifdef __cplusplus
}
#endif

#endif
