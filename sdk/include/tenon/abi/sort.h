/* The table that the three sort kinds share.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * A sort policy does not compare: it gives every item a key of a fixed number of 64-bit words, and the
 * kernel orders by those words, first word first, smaller first. Items with equal keys go by
 * submission (nodes: by id). Keys are a pure function of the declared columns, the configuration and the
 * batch's now_ms: the kernel keeps them until one of the columns changes. A key that depends on the time
 * says until when it holds (valid_until_ms), or the description has rekey_ms: all keys are then made anew
 * whenever the journal's time passes a multiple of it, and now_ms is the last such multiple, so that keys
 * that are compared were made for the same time.
 */
#ifndef TENON_ABI_SORT_H
#define TENON_ABI_SORT_H

#include "base.h"
#include "columns.h"

#ifdef __cplusplus
extern "C" {
#endif

/* not_before_ms of an item that must wait for a change of its columns. */
#define TENON_NOT_NOW INT64_MAX

typedef struct tenon_keys_out {
  uint32_t size;
  uint32_t key_words;      /* as described; words an item */
  uint64_t *keys;          /* item_count * key_words, written in the order of batch->items */
  int64_t *not_before_ms;  /* item_count, preset to INT64_MIN: eligible now. A later time or
                              TENON_NOT_NOW leaves the item out until then. Nodes: not looked at, a
                              node that an ask must not use is a predicate's */
  int64_t *valid_until_ms; /* item_count, preset to INT64_MAX: the key and the time before hold until a
                              column changes. An earlier time: they are made anew then too. Nodes: not
                              looked at */
} tenon_keys_out;

/* What to prepare: of an application its tags, when it is submitted; of a queue its properties in force, when it is
 * configured. */
typedef struct tenon_prepare_in {
  uint32_t size;
  uint32_t reserved;           /* 0 */
  const tenon_text *tag_names; /* tag_count names, unique and ascending by byte, and their values */
  const tenon_text *tag_values;
  uint64_t tag_count;
} tenon_prepare_in;

typedef struct tenon_prepare_out {
  uint32_t size;
  uint32_t reserved;    /* 0 */
  uint64_t words[4];    /* kept with the item, readable as column item.prepared */
  tenon_message *error; /* given by the caller; words of an INVALID_CONFIG */
} tenon_prepare_out;

typedef struct tenon_sort_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Writes the keys of the batch. Required. [cycle] */
  tenon_status (*keys)(tenon_instance *, const tenon_batch *, tenon_keys_out *out);

  /* queue-sort and app-sort: turns an item's tags into words. INVALID_CONFIG rejects the application, or the whole
   * configuration; where it is too late for that (the policy of a queue with applications changed, a queue that no
   * configuration names), and after a fault, the words are zero. So they are without it. Optional, may be NULL. [cycle]
   */
  tenon_status (*prepare)(tenon_instance *, const tenon_prepare_in *, tenon_prepare_out *out);

  /* node-sort only: as keys, for the ask in the context columns, over nodes that can hold it; used
   * instead of keys where present. Optional, may be NULL. [cycle] */
  tenon_status (*score)(tenon_instance *, const tenon_batch *, tenon_keys_out *out);
} tenon_sort_v1;

#ifdef __cplusplus
}
#endif

#endif
