// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/resources.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace tenon {
namespace {

constexpr int64_t max_amount = std::numeric_limits<int64_t>::max();
constexpr int64_t min_amount = std::numeric_limits<int64_t>::min();

// Calls f(type) for every type of the mask in index order until f says false; true when it never did.
template <class F>
bool all_types(uint64_t mask, F &&f) {
  for (; mask != 0; mask &= mask - 1) {
    if (!f(static_cast<type_index>(__builtin_ctzll(mask)))) return false;
  }
  return true;
}

// The resources with the types of `mask` and the amounts that amount(type) gives.
template <class F>
resources make(uint64_t mask, F &&amount) {
  resources out;
  if (mask != 0) out.reserve_types(64 - static_cast<uint32_t>(__builtin_clzll(mask)));
  all_types(mask, [&](type_index t) {
    out.set(t, amount(t));
    return true;
  });
  return out;
}

// Of as many types as the other has. Where amounts lie is looked up once: a compiler has to think that they change it.
template <class F>
inline void change_each(int64_t *own, const resources &other, F &&f) {
  const int64_t *amounts = other.data();
  const uint32_t count = other.size();
  for (uint32_t t = 0; t < count; ++t) own[t] = f(own[t], amounts[t]);
}

// What both "only existing" comparisons share: the answer where the sets of types alone decide.
std::optional<bool> decided_by_types(const resources &a, const resources &b) {
  if (a.empty()) return false;
  if (b.empty()) return all_types(a.present(), [&](type_index t) { return a[t] > 0; });
  if ((a.present() & b.present()) == 0) return true;
  return std::nullopt;
}

}  // namespace

type_index resource_types::intern(std::string_view name) {
  if (const type_index known = find(name); known != no_type) return known;
  const auto same = std::find(names_.begin(), names_.end(), name);
  if (same == names_.end() && forgotten_ == 0) {
    if (names_.size() >= std::min(limit_, max_types)) return no_type;
    names_.emplace_back(name);
    ++version_;
    return count() - 1;
  }
  const auto t = static_cast<type_index>(same == names_.end() ? __builtin_ctzll(forgotten_) : same - names_.begin());
  forgotten_ &= ~(uint64_t{1} << t);
  if (same == names_.end()) {
    names_[t] = name;
    ++version_;
  }
  return t;
}

void resource_types::keep_only(uint64_t mask) {
  for (type_index t = 0; t < count(); ++t) {
    if ((mask >> t & 1U) == 0) forgotten_ |= uint64_t{1} << t;
  }
  ++version_;
}

type_index resource_types::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  const auto t = static_cast<type_index>(at - names_.begin());
  return at == names_.end() || !is_known(t) ? no_type : t;
}

resources::resources(const resources &) = default;
resources &resources::operator=(const resources &) = default;

// A set that was moved from is empty, not one whose mask names amounts that are gone.
resources::resources(resources &&other) noexcept
    : present_(std::exchange(other.present_, 0)), amounts_(std::move(other.amounts_)) {
  other.amounts_.clear();
}
resources &resources::operator=(resources &&other) noexcept {
  if (this == &other) return *this;
  present_ = std::exchange(other.present_, 0);
  amounts_ = std::move(other.amounts_);
  other.amounts_.clear();
  return *this;
}

void resources::set(type_index t, int64_t amount) {
  // A type that could not be interned must have been refused before; storing it would corrupt memory.
  if (t >= max_types) [[unlikely]]
    std::abort();
  reserve_types(t + 1);
  amounts_[t] = amount;
  present_ |= uint64_t{1} << t;
}

void resources::erase(type_index t) {
  if (!has(t)) return;
  amounts_[t] = 0;
  present_ &= ~(uint64_t{1} << t);
}

void resources::erase_all(uint64_t mask) {
  all_types(mask, [&](type_index t) {
    erase(t);
    return true;
  });
}

void resources::clear() {
  present_ = 0;
  amounts_.clear();
}

void resources::reserve_types(uint32_t count) {
  if (count > amounts_.size()) amounts_.resize(std::min(count, max_types), 0);
}

void resources::add(type_index t, int64_t amount) { set(t, add_saturating((*this)[t], amount)); }

resources &resources::operator+=(const resources &other) {
  reserve_types(other.size());
  change_each(amounts_.data(), other, [](int64_t own, int64_t more) { return add_saturating(own, more); });
  present_ |= other.present_;
  return *this;
}

resources &resources::operator-=(const resources &other) {
  reserve_types(other.size());
  change_each(amounts_.data(), other, [](int64_t own, int64_t less) { return sub_saturating(own, less); });
  present_ |= other.present_;
  return *this;
}

resources &resources::add_times(const resources &other, int64_t times) {
  if (times == 1) return *this += other;
  if (times == -1) return *this -= other;
  reserve_types(other.size());
  change_each(amounts_.data(), other,
              [times](int64_t own, int64_t one) { return add_saturating(own, mul_saturating(one, times)); });
  present_ |= other.present_;
  return *this;
}

bool resources::prune() {
  const int64_t *own = amounts_.data();
  uint64_t left = present_;
  bool below = false;
  for (uint64_t all = present_; all != 0; all &= all - 1) {
    const int t = __builtin_ctzll(all);
    if (own[t] == 0) left &= ~(uint64_t{1} << t);
    below |= own[t] < 0;
  }
  present_ = left;
  return !below;
}

resource_change change_between(const resources &before, const resources &now) {
  resource_change out;
  all_types(before.present() | now.present(), [&](type_index t) {
    const int64_t more = sub_saturating(now[t], before[t]);
    if (more != 0) (more > 0 ? out.more : out.less).set(t, more > 0 ? more : -more);
    return true;
  });
  return out;
}

bool operator==(const resources &a, const resources &b) {
  if (a.present_ != b.present_) return false;
  // Undefined amounts are 0, and those beyond the shorter one are undefined in both.
  const size_t both = std::min(a.amounts_.size(), b.amounts_.size());
  return std::equal(a.amounts_.begin(), a.amounts_.begin() + static_cast<ptrdiff_t>(both), b.amounts_.begin());
}

int64_t scale_saturating(int64_t a, double ratio) {
  const double product = static_cast<double>(a) * ratio;
  if (std::isnan(product)) return 0;
  // 2^63 is the first double that int64 cannot hold; -2^63 is the last one below zero that it can.
  if (product >= 0x1p63) return max_amount;
  if (product <= -0x1p63) return min_amount;
  return static_cast<int64_t>(product);
}

bool fit_in_undefined_unlimited(const resources &larger, const resources &smaller) {
  return all_types(larger.present() & smaller.present(),
                   [&](type_index t) { return smaller[t] <= std::max<int64_t>(0, larger[t]); });
}

bool fit_in_actual(const resources &larger, const resources &smaller) {
  return all_types(larger.present() & smaller.present(), [&](type_index t) { return smaller[t] <= larger[t]; });
}

bool is_zero(const resources &r) {
  return all_types(r.present(), [&](type_index t) { return r[t] == 0; });
}

bool has_negative(const resources &r) {
  return !all_types(r.present(), [&](type_index t) { return r[t] >= 0; });
}

bool strictly_greater_than_zero(const resources &r) { return !is_zero(r) && !has_negative(r); }

bool strictly_greater(const resources &a, const resources &b) {
  return strictly_greater_or_equal(a, b) && !equal_amounts(a, b);
}

bool strictly_greater_or_equal(const resources &a, const resources &b) {
  return all_types(a.present() | b.present(), [&](type_index t) { return a[t] >= b[t]; });
}

bool strictly_greater_only_existing(const resources &a, const resources &b) {
  if (const auto decided = decided_by_types(a, b)) return *decided;
  const uint64_t both = a.present() & b.present();
  return all_types(both, [&](type_index t) { return a[t] >= b[t]; }) &&
         !all_types(both, [&](type_index t) { return a[t] == b[t]; });
}

bool strictly_greater_or_equal_only_existing(const resources &a, const resources &b) {
  if (const auto decided = decided_by_types(a, b)) return *decided;
  return all_types(a.present() & b.present(), [&](type_index t) { return a[t] >= b[t]; });
}

bool equal_amounts(const resources &a, const resources &b) {
  return all_types(a.present() | b.present(), [&](type_index t) { return a[t] == b[t]; });
}

bool match_any_type(const resources &a, const resources &b) { return (a.present() & b.present()) != 0; }

int type_matching(const resources &r, const resources &other) {
  if (r.empty()) return 0;
  return __builtin_popcountll(r.present() & other.present()) * 100 / __builtin_popcountll(r.present());
}

resources add_only_existing(const resources &base, const resources &delta) {
  return make(base.present(), [&](type_index t) { return add_saturating(base[t], delta[t]); });
}

resources sub_only_existing(const resources &base, const resources &delta) {
  return make(base.present(), [&](type_index t) { return sub_saturating(base[t], delta[t]); });
}

resources sub_eliminate_negative(const resources &a, const resources &b) {
  return make(a.present() | b.present(),
              [&](type_index t) { return std::max<int64_t>(0, sub_saturating(a[t], b[t])); });
}

resources component_min(const resources &a, const resources &b) {
  return make(a.present() | b.present(), [&](type_index t) {
    if (!a.has(t)) return b[t];
    return b.has(t) ? std::min(a[t], b[t]) : a[t];
  });
}

resources component_min_only_existing(const resources &a, const resources &b) {
  return make(a.present(), [&](type_index t) { return b.has(t) ? std::min(a[t], b[t]) : a[t]; });
}

resources component_max(const resources &a, const resources &b) {
  return make(a.present() | b.present(), [&](type_index t) { return std::max(a[t], b[t]); });
}

resources merge_if_not_present(const resources &left, const resources &right) {
  return make(left.present() | right.present(), [&](type_index t) { return left.has(t) ? left[t] : right[t]; });
}

resources multiply(const resources &r, int64_t factor) {
  if (factor == 0) return {};
  return make(r.present(), [&](type_index t) { return mul_saturating(r[t], factor); });
}

resources multiply_by(const resources &r, double ratio) {
  if (ratio == 0) return {};
  return make(r.present(), [&](type_index t) { return scale_saturating(r[t], ratio); });
}

double fit_in_score(const resources &r, const resources &avail) {
  double score = 0;
  for_each_type(r, [&](type_index t, int64_t wanted) {
    if (wanted <= 0) return;
    if (avail[t] <= 0) {
      score += 1;
    } else if (wanted > avail[t]) {
      score += static_cast<double>(wanted - avail[t]) / static_cast<double>(wanted);
    }
  });
  return score;
}

resources used_percent(const resources &capacity, const resources &used) {
  __extension__ using wide = __int128;  // used * 100 does not fit an int64
  return make(capacity.present() & used.present(), [&](type_index t) -> int64_t {
    if (used[t] <= 0) return 0;
    if (capacity[t] <= 0) return 100;
    const wide percent = wide{used[t]} * 100 / capacity[t];
    return static_cast<int64_t>(std::min<wide>(percent, std::numeric_limits<int32_t>::max()));
  });
}

}  // namespace tenon
