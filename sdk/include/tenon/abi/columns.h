/* Columns: the only way by which a policy sees the scheduler's state.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * A module names the columns that it reads when it describes an implementation, or when it makes an
 * instance whose configuration decides them. The host hands exactly those to every call, in that order,
 * and recomputes a result only when one of them changed. A column that is not declared is not readable.
 * A new column is a new id, never a new ABI.
 *
 * Sketch: the free resources of type `t` on the i-th item of a batch are
 *   *(const int64_t *)((const char *)c->base + items[i] * c->item_stride + t * c->type_stride)
 * and are defined when bit t of the item's presence mask is set (no mask: every type is defined).
 */
#ifndef TENON_ABI_COLUMNS_H
#define TENON_ABI_COLUMNS_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Value kinds. */
#define TENON_COLUMN_I64 1u       /* one int64_t an item */
#define TENON_COLUMN_RESOURCES 2u /* one int64_t an item and resource type, with presence masks */
#define TENON_COLUMN_TEXT 3u      /* one tenon_text an item; data NULL: the item has none */
#define TENON_COLUMN_TEXT_MAP 4u  /* one tenon_text_map an item */
#define TENON_COLUMN_WORDS 5u     /* four uint64_t an item */
#define TENON_COLUMN_NUMBERS 6u   /* one tenon_numbers an item */
#define TENON_COLUMN_TEXTS 7u     /* one tenon_texts an item */

/* Texts by key: count keys, unique and ascending by byte, each with its value. Has no size field and
 * never grows. A module declares a map where it cannot name the keys beforehand; any change of the map
 * then invalidates, so a column of one key is better where the key is known. */
typedef struct tenon_text_map {
  const tenon_text *keys;
  const tenon_text *values;
  uint64_t count;
} tenon_text_map;

/* A list of numbers. Has no size field and never grows. */
typedef struct tenon_numbers {
  const int64_t *values; /* count of them; NULL where there are none */
  uint64_t count;
} tenon_numbers;

/* A list of texts; one whose data is NULL is none. Has no size field and never grows. */
typedef struct tenon_texts {
  const tenon_text *values; /* count of them; NULL where there are none */
  uint64_t count;
} tenon_texts;

/* Whose values a module reads; decides what a change invalidates. */
#define TENON_SCOPE_ITEM 1u     /* of the item itself: a change re-keys that item */
#define TENON_SCOPE_SIBLINGS 2u /* of all items under the same parent: a change re-keys them all */
#define TENON_SCOPE_CONTEXT 3u  /* of the parent, ask or partition: one value, item index 0 */

/* Column ids of epoch 1. Suffix after ':' is a name chosen by the module.
 *
 * queue-sort, items are the child queues of one parent:
 *   queue.allocated, queue.pending, queue.guaranteed, queue.max, queue.fair_max   RESOURCES
 *   queue.decayed:S           RESOURCES mean of what was allocated; what lies S seconds back, 1 to 31536000, counts
 *                             half. Changes at multiples of 20 * S ms alone; begins with 0 where a policy first reads
 *                             it or the queue is made
 *   queue.priority            I64  current priority, offsets and fences applied
 *   queue.property:K          TEXT configured property K
 *   queue.properties          TEXT_MAP all of them
 *   parent.priority_sort      I64  1 when application.sort.priority is enabled (scope context)
 * app-sort, items are the applications of one leaf queue:
 *   app.allocated (real allocations), app.placeholders, app.pending                RESOURCES
 *   app.decayed:S             RESOURCES as queue.decayed, of app.allocated
 *   app.submitted_ms          I64  submission, lowered to the earliest ask
 *   app.submission            I64  place in the order in which applications came to the partition; no other has it
 *   app.priority              I64  highest priority among pending asks
 *   app.state                 I64  TENON_APP_*
 *   app.starts_next           I64  1 of the one application that may start next where they start one after the other:
 *                             of those that are Accepted and have something pending the one with the earliest
 *                             app.submitted_ms, then app.submission; of none while any is Starting. Else 0
 *   app.user, app.tag:K       TEXT
 *   app.tags                  TEXT_MAP
 *   queue.guaranteed          RESOURCES of the leaf (scope context)
 *   parent.priority_sort      I64 (scope context)
 * node-sort and predicate, items are the nodes of the partition:
 *   node.id                   TEXT
 *   node.free, node.total     RESOURCES
 *   node.attr:K               TEXT
 *   node.attrs                TEXT_MAP
 *   node.schedulable          I64  0 or 1
 *   node.devices:T            NUMBERS  what each device of type T has free, by number; may be below 0
 *   node.device_size:T        I64  amount of each of them; 0: the node does not divide the type
 *   ask.resources             RESOURCES (scope context; score and predicate only)
 *   ask.priority              I64 (scope context)
 *   ask.devices:T             I64 devices of type T that the ask's tag wants, each with an equal part; 0: it has none,
 *                             and takes one where its amount fits, else whole ones (scope context; not in predicates)
 *   ask.tag:K                 TEXT (scope context)
 *   ask.tags                  TEXT_MAP (scope context)
 * node-sort:
 *   app.count_by:K            I64  allocations of the ask's application on nodes of equal or no K (score only)
 *   score.devices:T           I64  1 (scope context; score only). Who declares it chooses devices of type T: the last
 *                             of the key words that `score` writes, two or more, is no part of the order. Its bit d
 *                             says that the ask takes device d of that node. The scheduler chooses where it is 0, on
 *                             a node that is reserved, and where it cannot be had: it has not as many bits as the ask
 *                             wants devices, or one of these has not the amount free. At most one such column
 *   shapes.counts             NUMBERS  of each shape in which asks came, how many allocations they were for
 *   shapes.amounts            NUMBERS  of each shape the amounts asked for by type index, equally many of each
 *   shapes.tags:K             TEXTS  of each shape the value of tag K
 *   groups.values:K           TEXTS  the values that nodes have of attribute K, ascending; first none, where some have
 *                             none
 *   groups.totals:K           NUMBERS  of each of them the sum of node.total by type index, equally many of each
 *                             These five are of a generation (scope context): they change when the next one begins, and
 *                             nowhere else. Asks are counted from when the first order of nodes reads one of the five;
 *                             before the first generation all are empty. It begins with the 32nd ask, each later one
 *                             after twice as many as the one before, 4096 at most; after each such all counts are
 *                             halved, and shapes whose count is 0 are forgotten. Asks are of one shape when all amounts
 *                             are equal, and the values of all tags K that are read; an empty value is none. Of more
 *                             than 1024 shapes those that come later are not counted
 * queue-sort and app-sort:
 *   item.prepared             WORDS that `prepare` made of the application's tags or of the queue's properties
 */
#define TENON_APP_NEW 0
#define TENON_APP_ACCEPTED 1
#define TENON_APP_STARTING 2
#define TENON_APP_RUNNING 3
#define TENON_APP_COMPLETING 4
#define TENON_APP_RESUMING 5

/* A module's declaration of one column. */
typedef struct tenon_column_use {
  uint32_t size;
  uint32_t scope; /* TENON_SCOPE_* */
  tenon_text id;  /* valid for the life of the module */
} tenon_column_use;

/* One column of a batch. Valid for the call. */
typedef struct tenon_column {
  uint32_t size;
  uint32_t kind;    /* TENON_COLUMN_* */
  const void *base; /* value of item 0, type 0; NULL: this call has no such context, as an ask outside of score */
  const uint64_t *present; /* presence mask of item 0, or NULL: all types are defined */
  uint64_t item_stride;    /* bytes from an item to the next; 0 where one value serves all */
  uint64_t type_stride;    /* bytes from a resource type to the next */
  uint64_t present_stride; /* bytes from an item's mask to the next */
} tenon_column;

/* What every batch call sees. Valid for the call. */
typedef struct tenon_batch {
  uint32_t size;
  uint32_t item_count;
  const uint32_t *items;       /* item_count indexes into the columns */
  const tenon_column *columns; /* column_count columns, in the declared order */
  uint32_t column_count;
  uint32_t column_stride;  /* bytes from a column to the next */
  const tenon_text *types; /* names of the resource types, by index */
  uint32_t type_count;     /* grows, at most 64; a type keeps its index */
  uint32_t reserved;       /* 0 */
  int64_t now_ms;          /* journal time, Unix milliseconds; of a policy with rekey_ms its last multiple */
  tenon_world world;
} tenon_batch;

#ifdef __cplusplus
}
#endif

#endif
