// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "waiting_now.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "view_text.hpp"

namespace tenon::observe {

void waiting_now::add(const waiting_now &other) {
  pending += other.pending;
  reservations += other.reservations;
  oldest_ms = std::max(oldest_ms, other.oldest_ms);
  for (const auto &[reason, count] : other.by_reason) by_reason[reason] += count;
}

std::map<std::string, int64_t> waiting_now::largest_reasons() const {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto &[reason, count] : by_reason) order.emplace_back(-count, reason);
  std::sort(order.begin(), order.end());
  std::map<std::string, int64_t> out;
  for (size_t i = 0; i < order.size(); ++i) out[i < most_reasons ? order[i].second : "others"] -= order[i].first;
  return out;
}

std::map<std::string, waiting_now> waiting_by_queue(const tenon_view_partition &p, int64_t now_ms) {
  std::map<std::string, waiting_now> out;
  for (const auto &a : all<tenon_view_application>(p.active)) {
    waiting_now &of = out[text(a.queue)];
    of.reservations += static_cast<int64_t>(a.reservations.count);
    for (const auto &ask : all<tenon_view_ask>(a.asks)) {
      if (ask.pending <= 0) continue;
      of.pending += ask.pending;
      of.by_reason[ask.blocker.length == 0 ? "its turn" : text(ask.blocker)] += ask.pending;
      of.oldest_ms = std::max(of.oldest_ms, now_ms - ask.created_ms);
    }
  }
  return out;
}

}  // namespace tenon::observe
