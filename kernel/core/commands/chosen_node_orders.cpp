// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "commands/chosen_node_orders.hpp"

#include <set>
#include <utility>

#include "base/tags.hpp"
#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "queueing/sort_keys.hpp"

namespace tenon::internal {

std::string bind_sort_policy(policy_source &from, module_kind kind, const std::string &policy, const std::string &json,
                             uint32_t max_types, std::unique_ptr<sort_policy> &into) {
  auto bound = from.bind(kind, policy, json, max_types);
  if (!bound) return bound.why().text();
  auto wrapped = wrap_sort_policy(kind, std::move(*bound));
  if (!wrapped) return wrapped.why().text();
  into = std::move(*wrapped);
  return {};
}

// The weights of the partition's order are for this one too, where it takes any.
std::unique_ptr<sort_policy> chosen_node_orders::bind(const std::string &policy, const node_sort_config &c) {
  std::unique_ptr<sort_policy> out;
  const std::string weights = node_sort_json(c);
  if (!bind_sort_policy(shared.policies, module_kind::node_sort, policy, weights, types.limit(), out).empty() &&
      weights != "{}") {
    (void)bind_sort_policy(shared.policies, module_kind::node_sort, policy, "{}", types.limit(), out);
  }
  if (out != nullptr) out->chosen = true;
  return out;
}

// One that is not to be had is as no tag: after a restart without its module what ran must come back.
node_sorting *chosen_node_orders::choose(texts tags) {
  const std::string wanted(find_tag(tags, "tenon/node-sort"));
  if (wanted.empty() || !shared.policies.provides(module_kind::node_sort, wanted)) return nullptr;
  const auto [at, fresh] = sortings.chosen.try_emplace(wanted);
  node_sorting &by = at->second;
  if (fresh) {
    by.policy = bind(wanted, config.node_sort);
    if (by.policy != nullptr) sortings.start(by);
    keys.forget_periods();
  }
  return by.policy == nullptr ? nullptr : &by;
}

// What cannot be bound now stays as it is.
void chosen_node_orders::stage(const partition_config &c) {
  for (const auto &[policy, by] : sortings.chosen) staged_.emplace(policy, bind(policy, c.node_sort));
}

void chosen_node_orders::adopt() {
  std::set<const node_sorting *> used;  // any order: asked for membership
  for (const auto &[app_id, app] : of.active) used.insert(app->nodes_by);
  std::erase_if(sortings.chosen, [&](const auto &item) { return !used.contains(&item.second); });
  for (auto &[policy, by] : sortings.chosen) {
    const auto fresh = staged_.find(policy);
    if (fresh == staged_.end() || fresh->second == nullptr) continue;
    faults.retire(std::exchange(by.policy, std::move(fresh->second)));
    sortings.start(by);
  }
  classifier.orders_changed();
}

}  // namespace tenon::internal
