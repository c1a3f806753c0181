// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/placement_checks.hpp"

#include <algorithm>
#include <utility>

#include "base/kept_sizes.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

uint64_t kept_for(const node_refusal &r) { return refusal_size + r.reason.size(); }

}  // namespace

bool placement_checks::ask_now(const ask &a, const node &n, bool allocate) {
  const rm_check &asked = by_proposals ? shared.reservation_check : shared.check;
  const bool ok = shared.answers.check([&] { return asked(partition, a.owner->id, a.key, n.id, allocate); });
  if (!ok) refused_now_.push_back(&n);
  return ok;
}

bool placement_checks::has_refused(const ask &a, const node &n) const {
  return is_refused(a, n) || std::find(refused_now_.begin(), refused_now_.end(), &n) != refused_now_.end();
}

// -- What is remembered. --

const node_refusal *placement_checks::refusal_of(const ask &a, const node &n) const {
  if (a.wait == nullptr) return nullptr;
  const auto &all = a.wait->refusals;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const node_refusal &r) { return r.where == &n && r.holds(shared.now_ms); });
  return found == all.end() ? nullptr : &*found;
}

void placement_checks::note_refusal(ask &a, const node &n, std::string_view reason) {
  if (!is_refused(a, n)) remember(a, {&n, std::string(reason)});
}

void placement_checks::remember(ask &a, node_refusal r) {
  kept_bytes_ += kept_for(r);
  std::vector<ask *> &there = refused_on_[r.where];
  if (std::find(there.begin(), there.end(), &a) == there.end()) there.push_back(&a);
  ask_wait::of(a, waits).refusals.push_back(std::move(r));
}

bool placement_checks::note_failed_start(ask &a, const node &n) {
  const int64_t first_ms = config.tuning.start_retry_ms;
  if (first_ms <= 0) return false;
  node_refusal now{&n, {}, 1, 0};
  if (a.wait != nullptr) {
    std::erase_if(a.wait->refusals, [&](const node_refusal &r) {
      if (r.where != &n || r.failed_starts == 0) return false;
      now.failed_starts = r.failed_starts + 1;
      kept_bytes_ -= kept_for(r);
      return true;
    });
  }
  int64_t wait_ms = std::min(first_ms, config.tuning.start_retry_max_ms);
  for (uint32_t i = 1; i < now.failed_starts && wait_ms < config.tuning.start_retry_max_ms; ++i) {
    wait_ms = std::min(add_saturating(wait_ms, wait_ms), config.tuning.start_retry_max_ms);
  }
  now.until_ms = add_saturating(shared.now_ms, wait_ms);
  now.reason = messages::starts_failed(now.failed_starts, wait_ms);
  remember(a, std::move(now));
  return true;
}

void placement_checks::forget(ask &a) {
  for (const node_refusal &r : a.wait->refusals) {
    kept_bytes_ -= kept_for(r);
    const auto found = refused_on_.find(r.where);
    if (found == refused_on_.end()) continue;
    std::erase(found->second, &a);
    if (found->second.empty()) refused_on_.erase(found);
  }
  a.wait->refusals.clear();
}

void placement_checks::forget_on(const node &n) {
  if (refused_on_.empty()) return;
  const auto found = refused_on_.find(&n);
  if (found == refused_on_.end()) return;
  std::erase_if(found->second, [&](ask *a) { return drop(*a, n); });
  if (found->second.empty()) refused_on_.erase(found);
}

void placement_checks::node_gone(const node &n) {
  const auto found = refused_on_.find(&n);
  if (found == refused_on_.end()) return;
  for (ask *a : found->second) {
    std::erase_if(a->wait->refusals, [&](const node_refusal &r) {
      if (r.where != &n) return false;
      kept_bytes_ -= kept_for(r);
      return true;
    });
  }
  refused_on_.erase(found);
}

bool placement_checks::check_again(const tenon::check_again &c) {
  bool some = false;
  std::vector<const node *> left_over;
  for (auto &[n, refused] : refused_on_) {  // any order: those who are woken have one
    if (!c.node.empty() && n->id != c.node) continue;
    std::erase_if(refused, [&, where = n](ask *a) {
      if ((!c.application.empty() && a->owner->id != c.application) || (!c.key.empty() && a->key != c.key))
        return false;
      some = true;
      return drop(*a, *where);
    });
    if (refused.empty()) left_over.push_back(n);
  }
  for (const node *n : left_over) refused_on_.erase(n);
  return some;
}

// Forgets what the RM refused. True: nothing is remembered of the ask there.
bool placement_checks::drop(ask &a, const node &n) {
  bool some_stay = false;
  std::erase_if(a.wait->refusals, [&](const node_refusal &r) {
    if (r.where != &n) return false;
    some_stay |= r.failed_starts != 0;
    if (r.failed_starts == 0) kept_bytes_ -= kept_for(r);
    return r.failed_starts == 0;
  });
  return !some_stay;
}

}  // namespace tenon::internal
