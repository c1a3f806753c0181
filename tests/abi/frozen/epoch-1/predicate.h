/* Kind predicate: says on which nodes an ask may run, resources aside.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * Named in the deployment's `predicates`; all of them must pass. Asks with equal resources and equal
 * signatures share results.
 */
#ifndef TENON_ABI_PREDICATE_H
#define TENON_ABI_PREDICATE_H

#include "base.h"
#include "columns.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_PREDICATE "tenon.predicate/1"

/* Verdicts, one byte an item. */
#define TENON_PASS 0u
#define TENON_FAIL 1u              /* unschedulable: other resources or allocations may change it */
#define TENON_FAIL_UNRESOLVABLE 2u /* only a change of the node or of the ask can */

typedef struct tenon_filter_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint8_t *verdicts; /* item_count, in the order of batch->items */
  uint16_t *reasons; /* item_count, preset 0; 1-based into the description's reasons */
} tenon_filter_out;

typedef struct tenon_signature_out {
  uint32_t size;
  uint32_t reserved; /* 0 */
  uint64_t words[2]; /* equal words: equal verdicts on every node */
} tenon_signature_out;

/* Which prefix of `victims` must go before the ask in the context columns fits on the node? */
typedef struct tenon_filter_prefix_in {
  uint32_t size;
  uint32_t victim_count;
  const tenon_batch *batch;    /* one item: the node */
  const tenon_handle *victims; /* allocations on the node, in the order in which they would go */
  uint32_t start;              /* the first prefix to try is victims[0 .. start] */
  uint32_t reserved;           /* 0 */
} tenon_filter_prefix_in;

typedef struct tenon_filter_prefix_out {
  uint32_t size;
  uint32_t index; /* of the last victim of the first prefix that passes */
} tenon_filter_prefix_out;

typedef struct tenon_predicate_v1 {
  uint32_t size;
  uint32_t reserved; /* 0 */

  /* Judges the batch's nodes for the ask in the context columns. Required. [cycle] */
  tenon_status (*filter)(tenon_instance *, const tenon_batch *, tenon_filter_out *out);

  /* Signature of the ask in the context columns (item_count 0). Optional: without it results are kept
   * per ask. [cycle] */
  tenon_status (*signature)(tenon_instance *, const tenon_batch *, tenon_signature_out *out);

  /* UNSCHEDULABLE when no prefix helps. Optional: without it filter is called in each world. [cycle] */
  tenon_status (*filter_prefix)(tenon_instance *, const tenon_filter_prefix_in *, tenon_filter_prefix_out *out);
} tenon_predicate_v1;

#ifdef __cplusplus
}
#endif

#endif
