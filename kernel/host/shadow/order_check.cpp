// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/order_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tenon::host {
namespace {

std::strong_ordering order_of(std::span<const uint64_t> a, std::span<const uint64_t> b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

// `a` does not stand behind `b` for the first.
void compare(const checked_item &a, const checked_item &b, const order_check::found &differs) {
  const auto first = order_of(a.first, b.first), shadow = order_of(a.shadow, b.shadow);
  if (first != shadow) differs(a, b, first == 0 || shadow == 0);
}

// Of an item that is kept, beside its words: nodes of two trees, their object, and names.
constexpr size_t overhead = 256;

}  // namespace

bool order_check::check(std::string_view parent, std::span<const checked_item> items, int64_t now_ms,
                        const found &differs) {
  if (!keeps_) {
    within(items, differs);
    return false;
  }
  const bool gives_up = bytes_ > most_bytes_;
  if (gives_up) {
    families_.clear();
    bytes_ = 0;
  }
  auto at = families_.find(parent);
  if (at == families_.end()) {
    at = families_.try_emplace(std::string(parent)).first;
    bytes_ += overhead + parent.size();
  }
  family &of = at->second;
  ++batch_;
  for (const checked_item &item : items) keep(of, item);
  for (const checked_item &item : items) look_at_neighbours(of, *of.by_name.find(item.name)->second, now_ms, differs);
  return gives_up;
}

void order_check::within(std::span<const checked_item> items, const found &differs) {
  std::vector<const checked_item *> sorted;
  sorted.reserve(items.size());
  for (const checked_item &item : items) sorted.push_back(&item);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const checked_item *a, const checked_item *b) { return order_of(a->first, b->first) < 0; });
  for (size_t i = 1; i < sorted.size(); ++i) compare(*sorted[i - 1], *sorted[i], differs);
}

void order_check::keep(family &of, const checked_item &item) {
  auto at = of.by_name.find(item.name);
  if (at == of.by_name.end()) {
    at = of.by_name.try_emplace(std::string(item.name), std::make_unique<kept>()).first;
    at->second->name = item.name;
    bytes_ += overhead + 2 * item.name.size() + (item.first.size() + item.shadow.size()) * sizeof(uint64_t);
  } else {
    of.in_order.erase(at->second.get());
  }
  kept &one = *at->second;
  one.first.assign(item.first.begin(), item.first.end());
  one.shadow.assign(item.shadow.begin(), item.shadow.end());
  one.until_ms = item.until_ms;
  one.batch = batch_;
  of.in_order.insert(&one);
}

// Neighbours of one batch are compared once, by the one that stands before the other.
void order_check::look_at_neighbours(const family &of, const kept &one, int64_t now_ms, const found &differs) {
  const auto holds = [&](const kept &other) { return other.until_ms > now_ms || other.batch == one.batch; };
  const auto at = of.in_order.find(&one);
  if (const auto next = std::next(at); next != of.in_order.end() && holds(**next))
    compare(one.item(), (*next)->item(), differs);
  if (at == of.in_order.begin()) return;
  const kept &before = **std::prev(at);
  if (before.batch != one.batch && holds(before)) compare(before.item(), one.item(), differs);
}

}  // namespace tenon::host
