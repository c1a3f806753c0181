// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/placement_checks.hpp"

#include <algorithm>

#include "base/kept_sizes.hpp"
#include "ledger/kept_counts.hpp"

namespace tenon::internal {
namespace {

uint64_t kept_for(const node_refusal &r) { return refusal_size + r.reason.size(); }

}  // namespace

bool placement_checks::ask_now(const ask &a, const node &n, bool allocate) {
  const bool ok = shared.answers.check([&] { return shared.check(partition, a.owner->id, a.key, n.id, allocate); });
  if (!ok) refused_now_.push_back(&n);
  return ok;
}

bool placement_checks::has_refused(const ask &a, const node &n) const {
  return is_refused(a, n) || std::find(refused_now_.begin(), refused_now_.end(), &n) != refused_now_.end();
}

// -- What is remembered. --

void placement_checks::note_refusal(ask &a, const node &n, std::string_view reason) {
  if (is_refused(a, n)) return;
  std::vector<node_refusal> &refusals = ask_wait::of(a, waits).refusals;
  refusals.push_back({&n, std::string(reason)});
  kept.add_bytes(kept_for(refusals.back()));
  refused_on_[&n].push_back(&a);
}

void placement_checks::forget(ask &a) {
  for (const node_refusal &r : a.wait->refusals) {
    const auto found = refused_on_.find(r.where);
    std::erase(found->second, &a);
    if (found->second.empty()) refused_on_.erase(found);
    kept.remove_bytes(kept_for(r));
  }
  a.wait->refusals.clear();
}

void placement_checks::forget_on(const node &n) {
  if (refused_on_.empty()) return;
  const auto found = refused_on_.find(&n);
  if (found == refused_on_.end()) return;
  for (ask *a : found->second) drop(*a, n);
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
      drop(*a, *where);
      return some = true;
    });
    if (refused.empty()) left_over.push_back(n);
  }
  for (const node *n : left_over) refused_on_.erase(n);
  return some;
}

void placement_checks::drop(ask &a, const node &n) {
  std::erase_if(a.wait->refusals, [&](const node_refusal &r) {
    if (r.where != &n) return false;
    kept.remove_bytes(kept_for(r));
    return true;
  });
}

}  // namespace tenon::internal
