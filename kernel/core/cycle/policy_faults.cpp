// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/policy_faults.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core.hpp"
#include "policies/sort_orders.hpp"
#include "queueing/sort_keys.hpp"

namespace tenon::internal {
namespace {

policy_fault::kind kind_of(const sort_policy &policy) {
  switch (policy.kind) {
    case module_kind::queue_sort:
      return policy_fault::kind::queue_order;
    case module_kind::app_sort:
      return policy_fault::kind::application_order;
    default:
      if (policy.canary) return policy_fault::kind::canary_node_order;
      return policy.chosen ? policy_fault::kind::chosen_node_order : policy_fault::kind::node_order;
  }
}

}  // namespace

policy_fault policy_faults::of(const sort_policy &policy) const {
  return {kind_of(policy), partition_name, policy.bound->name, {}};
}

// A module's fault is an answer from outside: what a record says of it holds, whatever the module does now.
void policy_faults::fail_as_told() {
  orders.for_each_policy([&](sort_policy &policy) {
    if (!policy.faulty && shared.answers.says_failed(of(policy))) failed(policy);
  });
}

void policy_faults::count(uint64_t faults) { shared.counters.policy_faults += faults; }

void policy_faults::failed(sort_policy &policy) {
  ++shared.counters.policy_faults;
  if (policy.faulty) return;  // the fallback itself cannot fail
  auto wrapped = wrap_sort_policy(policy.kind, shared.policies.fallback(policy.kind, types.limit()));
  const uint64_t calls = policy.calls, faults = policy.faults;
  const bool chosen = policy.chosen, canary = policy.canary;
  shared.answers.note_fault(of(policy));
  retired_.push_back(std::make_unique<sort_policy>(std::move(policy)));
  policy = std::move(**wrapped);
  policy.calls = calls;
  policy.faults = faults;
  policy.faulty = true;
  policy.chosen = chosen;
  policy.canary = canary;
  keys.restart(policy);
}

std::unique_ptr<sort_policy> policy_faults::take_failed_canary() {
  const auto found =
      std::find_if(retired_.rbegin(), retired_.rend(), [](const auto &one) { return one->canary && !one->faulty; });
  if (found == retired_.rend()) return nullptr;
  std::unique_ptr<sort_policy> out = std::move(*found);
  retired_.erase(std::next(found).base());
  return out;
}

}  // namespace tenon::internal
