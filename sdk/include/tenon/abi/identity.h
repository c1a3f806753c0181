/* Kind identity: the groups of a user. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Chosen by usergroupresolver.type of the partition. Asked for users of applications that come without groups, before
 * the application reaches the scheduler: what it answers is stored with the application. The host keeps answers for a
 * while, asks about one user at a time, and may wait: a slow source holds up nothing but its own users. A module keeps
 * no answers, and a source that is away when an instance is made is no refused configuration: resolve says so.
 */
#ifndef TENON_ABI_IDENTITY_H
#define TENON_ABI_IDENTITY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_IDENTITY "tenon.identity/1"

typedef struct tenon_resolve_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text user;   /* never empty; taken whole: no part of it is a pattern, whatever bytes it has */
} tenon_resolve_in;

/* The names go into `room`, in any order of bytes there; groups[i] points to where the i-th one stands. */
typedef struct tenon_resolve_out {
  uint32_t size;
  uint32_t group_capacity; /* entries of groups */
  tenon_text *groups;      /* given by the caller */
  uint64_t group_count;    /* preset 0: entries written, or wanted where the status is EXHAUSTED */
  char *room;              /* given by the caller */
  uint64_t room_capacity;  /* bytes */
  uint64_t room_length;    /* preset 0: bytes written, or wanted where the status is EXHAUSTED */
  tenon_message *error;    /* given by the caller; words of a status that is not OK */
} tenon_resolve_out;

typedef struct tenon_identity_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Finds the groups of a user, the most telling one first, each once and none without a name. OK, perhaps without any
   * group; DECLINED: there is no such user; RETRY: the source cannot be asked now, with words; EXHAUSTED: call again
   * with the room that is wanted. Any other status is a fault. Required. [io] */
  tenon_status (*resolve)(tenon_instance *, const tenon_resolve_in *, tenon_resolve_out *out);
} tenon_identity_v1;

#ifdef __cplusplus
}
#endif

#endif
