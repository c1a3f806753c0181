// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource vectors: saturating int64 amounts over interned types, where undefined is not zero.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

// Index of an interned resource type; below max_resource_types of the kernel, at most 64.
using type_index = uint32_t;
inline constexpr type_index no_type = ~type_index{0};
inline constexpr uint32_t max_types = 64;  // bits of a presence mask
// No amount and no sum of amounts is larger, so that two of them can be added or subtracted.
inline constexpr int64_t largest_sum = int64_t{1} << 62;

// The names of a partition's resource types. A type keeps its index as long as something names it: then the index may
// be another type's.
class resource_types {
 public:
  explicit resource_types(uint32_t limit = max_types) : limit_(limit) {}

  // The index of `name`, which is made known if it is new; no_type when as many are known as may be.
  type_index intern(std::string_view name);
  // The index of `name`, or no_type.
  [[nodiscard]] type_index find(std::string_view name) const;
  [[nodiscard]] std::string_view name(type_index t) const { return names_[t]; }
  [[nodiscard]] uint32_t count() const { return static_cast<uint32_t>(names_.size()); }
  [[nodiscard]] uint32_t limit() const { return limit_; }
  // Types outside of the mask are no longer known.
  void keep_only(uint64_t mask);
  [[nodiscard]] uint64_t version() const { return version_; }  // changes with every type that comes or goes

 private:
  [[nodiscard]] bool is_known(type_index t) const { return (forgotten_ >> t & 1U) == 0; }

  uint32_t limit_;
  std::vector<std::string> names_;
  uint64_t forgotten_ = 0;  // their names stay until another type takes the index
  uint64_t version_ = 0;
};

// Amounts by type. A type that is not present is undefined: what that means (unlimited, none) is the
// reader's rule. Reading an undefined type gives 0.
class resources {
 public:
  resources() = default;
  // Not inline: where GCC 12 sees through the small vector it warns of copies that cannot happen.
  resources(const resources &);
  resources(resources &&) noexcept;
  resources &operator=(const resources &);
  resources &operator=(resources &&) noexcept;
  ~resources() = default;

  [[nodiscard]] bool has(type_index t) const { return t < max_types && (present_ >> t & 1U) != 0; }
  [[nodiscard]] int64_t operator[](type_index t) const { return t < amounts_.size() ? amounts_[t] : 0; }
  [[nodiscard]] uint64_t present() const { return present_; }
  [[nodiscard]] const uint64_t *present_address() const { return &present_; }
  [[nodiscard]] bool empty() const { return present_ == 0; }
  // Amounts of types 0 .. size()-1; undefined ones are 0.
  [[nodiscard]] const int64_t *data() const { return amounts_.data(); }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(amounts_.size()); }

  void set(type_index t, int64_t amount);  // t below max_types: no_type ends the process
  void erase(type_index t);
  void erase_all(uint64_t mask);
  void clear();
  // Makes data() valid for types 0 .. count-1 without defining any.
  void reserve_types(uint32_t count);

  void add(type_index t, int64_t amount);         // saturating; defines t
  resources &operator+=(const resources &other);  // union of types, saturating
  resources &operator-=(const resources &other);  // union of types, saturating
  // The same with each amount of `other` so many times.
  resources &add_times(const resources &other, int64_t times);
  bool prune();  // removes zero amounts; false: one is below zero

  friend bool operator==(const resources &, const resources &);  // same types and amounts

 private:
  uint64_t present_ = 0;
  boost::container::small_vector<int64_t, 4> amounts_;
};

// What `now` has more and less than `before`. Sums that have `before` come to have `now` by way of these without an
// amount that is larger than both.
struct resource_change {
  resources more, less;
};
[[nodiscard]] resource_change change_between(const resources &before, const resources &now);

// Calls f(type, amount) for every defined type in index order.
template <class F>
void for_each_type(const resources &r, F &&f) {
  for (uint64_t left = r.present(); left != 0; left &= left - 1) {
    const auto t = static_cast<type_index>(__builtin_ctzll(left));
    f(t, r[t]);
  }
}

// Saturating int64 arithmetic (behaviour appendix C).
[[nodiscard]] inline int64_t add_saturating(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) [[likely]]
    return sum;
  return a < 0 ? INT64_MIN : INT64_MAX;
}
[[nodiscard]] inline int64_t sub_saturating(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) [[likely]]
    return difference;
  return a < 0 ? INT64_MIN : INT64_MAX;
}
[[nodiscard]] inline int64_t mul_saturating(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) [[likely]]
    return product;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}
// Truncates toward zero after a double multiply, saturating; 0 where the product is not a number.
[[nodiscard]] int64_t scale_saturating(int64_t a, double ratio);

// Fit tests. fit_in: a type missing in larger counts as 0 and a negative one as 0.
// Inline because every node of a search is tested with it; undefined amounts are 0 and always fit.
[[nodiscard]] inline bool fit_in(const resources &larger, const resources &smaller) {
  const int64_t *wanted = smaller.data();
  for (uint32_t t = 0; t < smaller.size(); ++t) {
    const int64_t there = larger[t];
    if (wanted[t] > (there < 0 ? 0 : there)) return false;
  }
  return true;
}
// As fit_in, but a type missing in larger is unlimited.
[[nodiscard]] bool fit_in_undefined_unlimited(const resources &larger, const resources &smaller);
// Missing types are skipped and negative amounts compared as they are.
[[nodiscard]] bool fit_in_actual(const resources &larger, const resources &smaller);

[[nodiscard]] bool is_zero(const resources &r);  // empty or all zero
[[nodiscard]] bool has_negative(const resources &r);
[[nodiscard]] bool strictly_greater_than_zero(const resources &r);  // some > 0, none < 0
// All a >= b over the union of types, and not equal.
[[nodiscard]] bool strictly_greater(const resources &a, const resources &b);
[[nodiscard]] bool strictly_greater_or_equal(const resources &a, const resources &b);
// As strictly_greater over the types of a that b has too; b empty: all of a above zero; disjoint: true.
[[nodiscard]] bool strictly_greater_only_existing(const resources &a, const resources &b);
[[nodiscard]] bool strictly_greater_or_equal_only_existing(const resources &a, const resources &b);
// Missing counts as zero.
[[nodiscard]] bool equal_amounts(const resources &a, const resources &b);
[[nodiscard]] bool match_any_type(const resources &a, const resources &b);
// Matching types * 100 / types of r.
[[nodiscard]] int type_matching(const resources &r, const resources &other);

[[nodiscard]] resources add_only_existing(const resources &base, const resources &delta);
[[nodiscard]] resources sub_only_existing(const resources &base, const resources &delta);
[[nodiscard]] resources sub_eliminate_negative(const resources &a, const resources &b);  // union, below 0: 0
// Over the union of types; a type missing on one side takes the other's amount.
[[nodiscard]] resources component_min(const resources &a, const resources &b);
[[nodiscard]] resources component_min_only_existing(const resources &a, const resources &b);
// Over the union of types, missing as zero.
[[nodiscard]] resources component_max(const resources &a, const resources &b);
// Left plus right's types that left misses.
[[nodiscard]] resources merge_if_not_present(const resources &left, const resources &right);
// No types at all for a factor of 0.
[[nodiscard]] resources multiply(const resources &r, int64_t factor);
[[nodiscard]] resources multiply_by(const resources &r, double ratio);

// Sum over types of r above 0 of: 1 where avail <= 0, else the missing part of the ask.
[[nodiscard]] double fit_in_score(const resources &r, const resources &avail);
// Percent of capacity used per type that both have (0..INT32_MAX, capacity <= 0 counts as 100).
[[nodiscard]] resources used_percent(const resources &capacity, const resources &used);

}  // namespace tenon
