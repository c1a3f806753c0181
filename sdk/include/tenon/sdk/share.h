/* Shares and scores: the arithmetic of fairness, once for every policy in every language.
 *
 * Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
 *
 * C11 and C++, no state, nothing allocated. All sums run in the order of the type index, so that two
 * policies which call the same function get the same bits. Compile with -ffp-contract=off and without
 * fast-math, as the SDK's CMake function does.
 *
 *   tenon_amounts used = tenon_column_amounts(column, item, batch->type_count);
 *   keys[i] = tenon_double_key(tenon_dominant_share(used, guaranteed, fair_max));
 */
#ifndef TENON_SDK_SHARE_H
#define TENON_SDK_SHARE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tenon/abi/columns.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_MAX_TYPES 64u
#define TENON_NO_TYPE UINT32_MAX

/* Resources of one item: amounts by type, where a type without its bit in `present` is undefined. */
typedef struct tenon_amounts {
  const void *base;     /* int64_t of type 0; not read for undefined types */
  uint64_t type_stride; /* bytes from a type to the next */
  uint64_t present;
} tenon_amounts;

/* The amounts of item `item` (an element of batch->items) of a RESOURCES column. */
static inline tenon_amounts tenon_column_amounts(const tenon_column *column, uint32_t item, uint32_t type_count) {
  const uint64_t types = type_count >= TENON_MAX_TYPES ? UINT64_MAX : (UINT64_C(1) << type_count) - 1;
  tenon_amounts out;
  out.base = (const char *)column->base + item * column->item_stride;
  out.type_stride = column->type_stride;
  out.present = types;
  if (column->present != NULL) {
    out.present &= *(const uint64_t *)(const void *)((const char *)column->present + item * column->present_stride);
  }
  return out;
}

static inline int tenon_amounts_has(tenon_amounts a, uint32_t type) {
  return type < TENON_MAX_TYPES && (a.present >> type & 1u) != 0;
}

/* The amount of a type; 0 where it is undefined. */
static inline int64_t tenon_amounts_get(tenon_amounts a, uint32_t type) {
  if (!tenon_amounts_has(a, type)) return 0;
  return *(const int64_t *)(const void *)((const char *)a.base + type * a.type_stride);
}

/* A key that orders as the double does: a < b exactly when key(a) < key(b). -0 and 0 have one key; every
 * NaN comes last, behind +Inf. */
static inline uint64_t tenon_double_key(double value) {
  uint64_t bits;
  if (value != value) return UINT64_MAX;
  if (value == 0) value = 0;
  memcpy(&bits, &value, sizeof bits);
  return (bits >> 63) != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Fair share of a queue: the largest of allocated / guaranteed over the allocated types, or of allocated /
 * fair_max for a type without guarantee; a type with neither, or with a negative allocation, does not
 * count. A denominator of 0 or less makes the share of an allocated type 1. */
static inline double tenon_dominant_share(tenon_amounts allocated, tenon_amounts guaranteed, tenon_amounts fair_max) {
  const uint64_t counted = allocated.present & (guaranteed.present | fair_max.present);
  double largest = 0;
  for (uint32_t t = 0; t < TENON_MAX_TYPES && counted >> t != 0; ++t) {
    if ((counted >> t & 1u) == 0) continue;
    const int64_t have = tenon_amounts_get(allocated, t);
    const int64_t of = tenon_amounts_get(tenon_amounts_has(guaranteed, t) ? guaranteed : fair_max, t);
    if (have <= 0) continue; /* a share of 0 or none at all: neither is larger than 0 */
    const double share = of <= 0 ? 1.0 : (double)have / (double)of;
    if (share > largest) largest = share;
  }
  return largest;
}

/* One share of used in total: the raw amount where total is undefined or 0. */
static inline double tenon_share_of(int64_t used, int64_t total) {
  if (used == 0) return 0;
  return total == 0 ? (double)used : (double)used / (double)total;
}

/* Writes the share of every type of `used`, largest first; returns how many. `out` has room for
 * TENON_MAX_TYPES. */
static inline uint32_t tenon_shares_descending(tenon_amounts used, tenon_amounts total, double *out) {
  uint32_t count = 0;
  for (uint32_t t = 0; t < TENON_MAX_TYPES && used.present >> t != 0; ++t) {
    if (!tenon_amounts_has(used, t)) continue;
    const double share = tenon_share_of(tenon_amounts_get(used, t), tenon_amounts_get(total, t));
    uint32_t at = count++;
    for (; at > 0 && out[at - 1] < share; --at) out[at] = out[at - 1];
    out[at] = share;
  }
  return count;
}

/* Compares two vectors of descending shares, largest first; what one has more counts against 0.
 * Returns -1, 0 or 1. */
static inline int tenon_shares_compare(const double *left, uint32_t left_count, const double *right,
                                       uint32_t right_count) {
  for (uint32_t i = 0; i < left_count || i < right_count; ++i) {
    const double l = i < left_count ? left[i] : 0;
    const double r = i < right_count ? right[i] : 0;
    if (l < r) return -1;
    if (l > r) return 1;
  }
  return 0;
}

/* Shares as sort keys: `words` keys, largest share first, the rest as shares of 0. Ordered by these words,
 * items are in the order of tenon_shares_compare as far as `words` reaches. */
static inline void tenon_shares_keys(tenon_amounts used, tenon_amounts total, uint64_t *keys, uint32_t words) {
  double shares[TENON_MAX_TYPES];
  const uint32_t count = tenon_shares_descending(used, total, shares);
  for (uint32_t i = 0; i < words; ++i) keys[i] = tenon_double_key(i < count ? shares[i] : 0.0);
}

/* Largest share of left divided by that of right; 1 where neither has one above or below 0. */
static inline double tenon_fairness_ratio(tenon_amounts left, tenon_amounts right, tenon_amounts total) {
  double shares[TENON_MAX_TYPES];
  const double l = tenon_shares_descending(left, total, shares) > 0 ? shares[0] : 0;
  const double r = tenon_shares_descending(right, total, shares) > 0 ? shares[0] : 0;
  if (l == 0 && r == 0) return 1;
  return l / r;
}

/* The type of which `used` takes the largest part of `capacity`, among those that both have; the first of
 * equals. A capacity of 0 counts as fully used by any amount. TENON_NO_TYPE: none with a share of 0 or more. */
static inline uint32_t tenon_dominant_type(tenon_amounts used, tenon_amounts capacity) {
  uint32_t dominant = TENON_NO_TYPE;
  double largest = 0;
  const uint64_t common = used.present & capacity.present;
  for (uint32_t t = 0; t < TENON_MAX_TYPES && common >> t != 0; ++t) {
    if ((common >> t & 1u) == 0) continue;
    const int64_t have = tenon_amounts_get(used, t);
    const int64_t of = tenon_amounts_get(capacity, t);
    const double share = of != 0 ? (double)have / (double)of : (have == 0 ? 0.0 : 1.0);
    if (share > largest || (dominant == TENON_NO_TYPE && share >= 0)) {
      dominant = t;
      largest = share;
    }
  }
  return dominant;
}

/* Usage of a node: the mean of 1 - free / total over the types of which it has any, weighted by
 * weights[type] (weight_count of them; types beyond count 0). 0 where no weight is left. */
static inline double tenon_node_usage(tenon_amounts free, tenon_amounts total, const double *weights,
                                      uint32_t weight_count) {
  double sum = 0;
  double weight_sum = 0;
  for (uint32_t t = 0; t < weight_count && t < TENON_MAX_TYPES; ++t) {
    const int64_t capacity = tenon_amounts_get(total, t);
    if (weights[t] == 0 || capacity <= 0) continue;
    sum += weights[t] * (1.0 - (double)tenon_amounts_get(free, t) / (double)capacity);
    weight_sum += weights[t];
  }
  return weight_sum == 0 ? 0.0 : sum / weight_sum;
}

/* The scores of the built-in node orders; lower is tried first. */
static inline double tenon_score_fair(double usage) { return usage; }
static inline double tenon_score_binpacking(double usage) { return 1.0 - usage; }

#ifdef __cplusplus
}
#endif

#endif
