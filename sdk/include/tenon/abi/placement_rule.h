/* Kind placement-rule: gives an application the queue in which it runs. DRAFT: loads only on an equal host build.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Named in `placementrules` of queues.yaml, where rules are asked in order. `value` of the entry is the
 * instance's configuration: {"value": "..."}, or {} where the entry has none. The rest of an entry is the
 * kernel's, for every rule: it asks the rule only for users that pass `filter`, puts the name below what the
 * rule of `parent` gives (else below root), refuses names that are none, passes over a rule without `create` whose
 * queue does not exist, and checks who may submit there.
 *
 * Sketch: place writes "alice" and leaves `qualified` 0. Where `parent` gives root.people the application goes to
 * root.people.alice. A name may have dots: each part is then one level.
 */
#ifndef TENON_ABI_PLACEMENT_RULE_H
#define TENON_ABI_PLACEMENT_RULE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_PLACEMENT_RULE "tenon.placement-rule/1"

/* name_capacity is never less. */
#define TENON_PLACE_NAME_ROOM 4096u

#define TENON_QUEUE_ACTIVE 1u
#define TENON_QUEUE_DRAINING 2u /* takes no new application; disappears when empty */
#define TENON_QUEUE_STOPPED 3u  /* takes no new application */

typedef struct tenon_find_queue_in {
  uint32_t size;
  uint32_t reserved; /* 0 */
  tenon_text path;   /* from root, "root.people.alice"; letter case does not matter */
  tenon_world world; /* that of tenon_place_in */
} tenon_find_queue_in;

typedef struct tenon_find_queue_out {
  uint32_t size;
  uint32_t exists; /* 0 or 1; where 0 the fields below are 0 too */
  uint32_t leaf;   /* 1: applications run in it; 0: it has children, or may have */
  uint32_t state;  /* TENON_QUEUE_* */
} tenon_find_queue_out;

/* The queues of the partition. Valid for the call that got it. */
typedef struct tenon_queue_tree {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Looks a queue up. UNSUPPORTED for another world. [cycle] */
  tenon_status (*find)(const struct tenon_queue_tree *, const tenon_find_queue_in *, tenon_find_queue_out *out);
} tenon_queue_tree;

/* An application that asks for a place. Texts are as submitted; absent ones are empty. Tags are in the order in which
 * they were sent; the letter case of their names does not matter, and of equal names the first one counts. */
typedef struct tenon_place_in {
  uint32_t size;
  uint32_t group_count;
  tenon_text application;
  tenon_text queue;
  tenon_text user;
  const tenon_text *groups;
  const tenon_text *tag_names; /* tag_count names and values */
  const tenon_text *tag_values;
  uint64_t tag_count;
  const tenon_queue_tree *queues;
  tenon_world world;
  int64_t now_ms; /* journal time, Unix milliseconds */
} tenon_place_in;

typedef struct tenon_place_out {
  uint32_t size;
  uint32_t qualified;     /* preset 0; 1: the name is a full path, from "root" down, and no parent is asked */
  char *name;             /* room that the caller gives */
  uint64_t name_capacity; /* bytes; also at least five times the longest text of tenon_place_in and of `value` */
  uint64_t name_length;   /* preset 0: bytes written */
  tenon_message *error;   /* given by the caller; words of an INVALID_CONFIG */
} tenon_place_out;

typedef struct tenon_placement_rule_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Names a queue. A pure function of its input, the queues and the configuration. OK with a name; DECLINED, or
   * OK without a name: the next rule is asked; INVALID_CONFIG: the application is rejected in the words of
   * `error`. After any other status, which is a fault, the next rule is asked. Required. [cycle] */
  tenon_status (*place)(tenon_instance *, const tenon_place_in *, tenon_place_out *out);
} tenon_placement_rule_v1;

#ifdef __cplusplus
}
#endif

#endif
