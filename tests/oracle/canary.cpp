// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Canaries: whose order of nodes is another one, who is asked about by one more predicate, and when it goes back.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

uint64_t place_among_thousand(const std::string &salt, const std::string &id) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char c : salt + '\0' + id) {
    hash ^= static_cast<uint8_t>(c);
    hash *= 1099511628211ULL;
  }
  return mixed(hash) % 1000;
}

}  // namespace

void partition::configure_canary(const partition_config &before) {
  if (config.canary == before.canary) return;
  begin_canary();
  shapes.followed |= !config.canary.empty() && config.canary[0].node_sort.type == "gpu-pack";
}

bool partition::is_canary_of_nodes() const { return !config.canary.empty() && config.canary[0].predicate.empty(); }

// -- A predicate. --

// With which asks of the canary it cannot be told apart, once others have said so.
void partition::judge_by_canary(const application &a, ask &k) {
  k.judged_by_canary.reset();
  if (is_canary_of_nodes() || !has_canary(a)) return;
  const bool failed = std::any_of(shared.told.begin(), shared.told.end(), [&](const step_answer &one) {
    return one.fault.what == policy_fault::kind::canary_predicate_signature && one.fault.partition == name &&
           one.fault.arrival == k.arrival;
  });
  const uint64_t first =
      canary_first_of.emplace(std::pair(k.judged_with, k.priority % 2 != 0), k.arrival).first->second;
  k.judged_by_canary = failed ? std::pair(k.arrival, true) : std::pair(first, false);
}

void partition::judge_all_by_canary() {
  std::vector<std::pair<application *, ask *>> all;
  for (const auto &a : applications) {
    for (ask &k : a->asks) all.emplace_back(a.get(), &k);
  }
  std::sort(all.begin(), all.end(), [](const auto &x, const auto &y) { return x.second->arrival < y.second->arrival; });
  for (const auto &[a, k] : all) judge_by_canary(*a, *k);
}

// The predicate of tests, tests/orders/two_of_three.cpp.
bool partition::canary_lets(const ask &k, const node &n) const {
  if (!k.judged_by_canary) return true;
  const auto held = canary_held_until.find(*k.judged_by_canary);
  if (held != canary_held_until.end() && shared.now_ms < held->second) return false;
  return (static_cast<unsigned char>(n.id.back()) + (k.priority % 2 != 0 ? 1 : 0)) % 3 != 0;
}

void partition::begin_canary() {
  canary_is_back = false;
  // Asks that are there are signed for it at once.
  canary_fails = std::any_of(shared.told.begin(), shared.told.end(), [&](const step_answer &one) {
    return one.fault.what == policy_fault::kind::canary_predicate_signature && one.fault.partition == name;
  });
  canary_fault_counts = true;
  canary_why.clear();
  canary_since_ms = shared.now_ms;
  canary_faults = 0;
  canary_waits.clear();
  others_waits.clear();
  canary_looked_at = canary_compared = others_compared = 0;
  canary_first_of.clear();
  canary_held_until.clear();
  judge_all_by_canary();
}

bool partition::has_canary(const application &a) const {
  if (config.canary.empty() || canary_is_back) return false;
  const canary_config &c = config.canary[0];
  const std::vector<std::string> above = path_down(a.queue);
  const bool is_in = std::any_of(c.queues.begin(), c.queues.end(), [&](const std::string &top) {
    return std::find(above.begin(), above.end(), top) != above.end();
  });
  return (c.queues.empty() || is_in) && place_among_thousand(c.salt, a.id) < c.share;
}

// -- What comes of it. --

void partition::count_for_canary(const application &a, const ask &k) {
  if (config.canary.empty() || canary_is_back || (is_canary_of_nodes() && chose_an_order(a))) return;
  const int64_t waited = std::clamp<int64_t>(sub_saturating(shared.now_ms, k.create_time_ms), 0, 1'000'000'000'000);
  (has_canary(a) ? canary_waits : others_waits).push_back(waited);
}

void partition::take_canary_back(std::string why) {
  canary_is_back = true;
  canary_fails = false;
  canary_since_ms = shared.now_ms;
  canary_why = std::move(why);
  emit(decision_kind::canary_back).text = canary_why;
  judge_all_by_canary();
}

void partition::count_canary_fault() {
  canary_fault_counts = false;
  const canary_config &c = config.canary[0];
  if (++canary_faults >= c.back.faults) take_canary_back(messages::canary_failed(c.kind(), c.policy(), canary_faults));
}

void partition::look_at_canary() {
  if (config.canary.empty() || canary_is_back) return;
  if (canary_fails && canary_fault_counts) count_canary_fault();
  const canary_limits back = config.canary[0].back;
  const auto average = [](const std::vector<int64_t> &all, size_t from) {
    const int64_t sum = std::accumulate(all.begin() + static_cast<ptrdiff_t>(from), all.end(), int64_t{0},
                                        [](int64_t x, int64_t y) { return add_saturating(x, y); });
    return from == all.size() ? 0 : sum / static_cast<int64_t>(all.size() - from);
  };
  if (!canary_is_back && canary_waits.size() - canary_looked_at >= back.placements) {
    const auto first = canary_waits.begin() + static_cast<ptrdiff_t>(canary_looked_at);
    const auto longer = std::count_if(first, canary_waits.end(), [&](int64_t w) { return w > back.waiting_p99_ms; });
    const auto all = canary_waits.end() - first;
    canary_looked_at = canary_waits.size();
    if (back.waiting_p99_ms > 0 && longer * 100 > all)
      take_canary_back(
          messages::canary_waits(static_cast<uint32_t>(longer), static_cast<uint32_t>(all), back.waiting_p99_ms));
  }
  if (!canary_is_back && canary_waits.size() - canary_compared >= back.placements &&
      others_waits.size() - others_compared >= back.placements) {
    const int64_t its = average(canary_waits, canary_compared), others = average(others_waits, others_compared);
    canary_compared = canary_waits.size();
    others_compared = others_waits.size();
    if (back.waiting_factor > 0 &&
        mul_saturating(its, 1'000) > mul_saturating(std::max<int64_t>(others, 1'000), back.waiting_factor))
      take_canary_back(messages::canary_waits_longer(its, others, back.waiting_factor));
  }
}

void partition::end_command_of_canary() {
  if (canary_fails && canary_fault_counts && !config.canary.empty() && !canary_is_back) count_canary_fault();
  canary_fails = false;
  canary_fault_counts = true;
}

// -- What people do. --

void partition::change_canary(const tenon::change_canary &c) {
  if (config.canary.empty() || canary_is_back != (c.turn == canary_turn::again)) return;
  if (c.turn == canary_turn::again) return begin_canary();
  take_canary_back(messages::canary_taken_back(c.text));
}

// -- Readers. --

std::optional<canary_snapshot> partition::canary_standing() const {
  if (config.canary.empty()) return std::nullopt;
  const canary_config &c = config.canary[0];
  const auto side = [](const std::vector<int64_t> &waits) {
    canary_side out;
    out.placed = waits.size();
    for (const int64_t one : waits) out.waited_ms = add_saturating(out.waited_ms, one);
    return out;
  };
  canary_snapshot out;
  out.kind = c.predicate.empty() ? "node-sort" : "predicate";
  out.policy = c.predicate.empty() ? c.node_sort.type : c.predicate;
  out.queues = c.queues;
  out.share = c.share;
  out.salt = c.salt;
  out.active = !canary_is_back;
  out.why = canary_why;
  out.since_ms = canary_since_ms;
  out.back = c.back;
  out.faults = canary_faults;
  out.canary = side(canary_waits);
  out.others = side(others_waits);
  for (const auto &a : applications) {
    if (!is_canary_of_nodes() || !chose_an_order(*a)) ++(has_canary(*a) ? out.canary : out.others).applications;
  }
  return out;
}

}  // namespace tenon::naive
