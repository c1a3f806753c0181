// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/policy_faults.hpp"

#include "core.hpp"
#include "policies/node_sorting.hpp"
#include "ready/sort_keys.hpp"

namespace tenon::internal {
namespace {

policy_fault::kind kind_of(const sort_policy &policy) {
  switch (policy.kind) {
    case module_kind::queue_sort:
      return policy_fault::kind::queue_order;
    case module_kind::app_sort:
      return policy_fault::kind::application_order;
    default:
      return policy.chosen ? policy_fault::kind::chosen_node_order : policy_fault::kind::node_order;
  }
}

}  // namespace

policy_fault policy_faults::of(const sort_policy &policy) const {
  return {kind_of(policy), partition_name_, policy.bound->name, {}};
}

// A module's fault is an answer from outside: what a record says of it holds, whatever the module does now.
void policy_faults::fail_as_told() {
  const auto fail = [&](sort_policy &policy) {
    if (!policy.faulty && shared_.answers.says_failed(of(policy))) {
      failed(policy);
    }
  };
  sortings_.for_each([&](node_sorting &by) { fail(*by.policy); });
  orders_.for_each(fail);
}

void policy_faults::failed(sort_policy &policy) {
  ++shared_.counters.policy_faults;
  if (policy.faulty) return;  // the fallback itself cannot fail
  auto wrapped = wrap_sort_policy(policy.kind, shared_.policies.fallback(policy.kind, types_.limit()));
  const uint64_t calls = policy.calls, faults = policy.faults;
  const bool chosen = policy.chosen;
  shared_.answers.note_fault(of(policy));
  retired_.push_back(std::make_unique<sort_policy>(std::move(policy)));
  policy = std::move(**wrapped);
  policy.calls = calls;
  policy.faults = faults;
  policy.faulty = true;
  policy.chosen = chosen;
  keys_.restart(policy);
}

}  // namespace tenon::internal
