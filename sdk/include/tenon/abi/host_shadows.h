/* Shadows of policies, as a reading of the host service metrics has them. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * docs/call-shadow.md says what they are, and what their words mean.
 */
#ifndef TENON_ABI_HOST_SHADOWS_H
#define TENON_ABI_HOST_SHADOWS_H

#include "host_views.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a policy and its shadow said differently. */
typedef struct tenon_shadow_difference {
  uint32_t size;
  uint32_t reserved; /* 0 */
  int64_t at_ms;     /* of the journal */
  tenon_text what;   /* "order", "tie", "time", "verdict", "queue", "devices" */
  tenon_text slot;
  tenon_text of; /* the queue whose items they are, or the ask that they are for; may be empty */
  tenon_text object;
  tenon_text other;  /* of an order; empty: it is about one */
  tenon_text first;  /* what the policy in force said */
  tenon_text shadow; /* what the shadow said */
} tenon_shadow_difference;

/* A policy that is asked whatever another one is asked, and decides nothing. */
typedef struct tenon_call_shadow {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text module; /* id, of the policy in force */
  tenon_text kind;
  tenon_text name;
  tenon_text shadow; /* id */
  tenon_text shadow_version;
  tenon_text shadow_name;
  tenon_text off;        /* why it is switched off; empty: it is not */
  tenon_text last_fault; /* in words */
  uint64_t calls;        /* that were compared */
  uint64_t items;        /* in them */
  uint64_t skipped;      /* not asked, since its process was not there */
  uint64_t faults;
  uint64_t spent_ns; /* by the scheduler */
  uint64_t forgotten;
  uint64_t differences;
  tenon_view_list first_differences; /* tenon_shadow_difference; the oldest first */
} tenon_call_shadow;

#ifdef __cplusplus
}
#endif

#endif
