// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Orders of nodes that applications choose by tag: bound when the first application names one, kept until a
// configuration comes that finds nobody who uses it.
#include <set>

#include "base/tags.hpp"
#include "partition.hpp"

namespace tenon::internal {

// The weights of the partition's order are for this one too, where it takes any.
std::unique_ptr<sort_policy> partition::bind_chosen(const std::string &policy, const node_sort_config &c) {
  std::unique_ptr<sort_policy> out;
  const std::string weights = node_sort_json(c);
  if (!bind_sort_policy(module_kind::node_sort, policy, weights, out).empty() && weights != "{}") {
    (void)bind_sort_policy(module_kind::node_sort, policy, "{}", out);
  }
  if (out != nullptr) out->chosen = true;
  return out;
}

// One that is not to be had is as no tag: after a restart without its module what ran must come back.
node_sorting *partition::choose_sorting(texts tags) {
  const std::string wanted(find_tag(tags, "tenon/node-sort"));
  if (wanted.empty() || !shared.policies.provides(module_kind::node_sort, wanted)) return nullptr;
  const auto [at, fresh] = sortings.chosen.try_emplace(wanted);
  node_sorting &by = at->second;
  if (fresh) {
    by.policy = bind_chosen(wanted, config.node_sort);
    if (by.policy != nullptr) by.start(nodes);
    keys.forget_periods();
  }
  return by.policy == nullptr ? nullptr : &by;
}

// What cannot be bound now stays as it is.
void partition::stage_chosen(const partition_config &c) {
  for (const auto &[policy, by] : sortings.chosen) staged.chosen.emplace(policy, bind_chosen(policy, c.node_sort));
}

void partition::adopt_chosen() {
  std::set<const node_sorting *> used;  // any order: asked for membership
  for (const auto &[app_id, app] : active) used.insert(app->nodes_by);
  std::erase_if(sortings.chosen, [&](const auto &item) { return !used.contains(&item.second); });
  for (auto &[policy, by] : sortings.chosen) {
    const auto fresh = staged.chosen.find(policy);
    if (fresh == staged.chosen.end() || fresh->second == nullptr) continue;
    faults.retire(std::exchange(by.policy, std::move(fresh->second)));
    by.start(nodes);
  }
  last_class = nullptr;
}

}  // namespace tenon::internal
