// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/copied_policies.hpp"

#include <utility>

namespace tenon::internal {

std::unique_ptr<bound_policy> policy_copier::copy(const bound_policy &from) {
  if (how_ == copied_policies::own && !refused_) {
    auto made = from.another();
    if (made) return std::move(*made);
    refused_ = made.why();
  }
  return std::make_unique<bound_policy>(from);
}

std::unique_ptr<sort_policy> policy_copier::copy(const sort_policy &from, const std::string &name,
                                                 const std::string &configuration) {
  if (are_replaced()) return made(from.kind, name, configuration);
  std::unique_ptr<sort_policy> out = std::move(*wrap_sort_policy(from.kind, copy(*from.bound)));
  out->faulty = from.faulty;
  out->periods = from.periods;
  out->chosen = from.chosen;
  out->canary = from.canary;
  return out;
}

void policy_copier::copy(const partition_config &config, const node_sortings &from, node_sortings &to,
                         std::map<const node_sorting *, node_sorting *> &made) {  // any order: looked up, never walked
  const auto start = [&](node_sorting &out, const node_sorting &by, const std::string &name, const std::string &json) {
    out.policy = copy(*by.policy, name, json);
    out.policy->chosen = by.policy->chosen;
    out.policy->canary = by.policy->canary;
    to.start(out);
    made.emplace(&by, &out);
  };
  const std::string weights = node_sort_json(config.node_sort);
  start(to.own, from.own, config.node_sort.type.empty() ? "fair" : config.node_sort.type, weights);
  for (const auto &[name, by] : from.chosen) {
    if (by.policy == nullptr || (are_replaced() && !source_.provides(module_kind::node_sort, name))) continue;
    start(to.chosen[name], by, name, weights);
  }
  to.of_canary = from.of_canary;
  if (from.canary == nullptr) return;
  to.canary = std::make_unique<node_sorting>();
  const node_sort_config &canary = config.canary.front().node_sort;
  start(*to.canary, *from.canary, canary.type, node_sort_json(canary));
}

// With the configuration, without one where it takes none of that kind, or else the source's fallback.
std::unique_ptr<sort_policy> policy_copier::made(module_kind kind, const std::string &name,
                                                 const std::string &configuration) {
  for (const std::string &one : {configuration, std::string("{}")}) {
    auto bound = source_.bind(kind, name, one, max_types_);
    if (!bound) continue;
    if (auto wrapped = wrap_sort_policy(kind, std::move(*bound))) return std::move(*wrapped);
  }
  return std::move(*wrap_sort_policy(kind, source_.fallback(kind, max_types_)));
}

// Null where there is none, or where the source has it not: it is not asked then.
std::unique_ptr<node_predicate> policy_copier::copy_canary(const partition_config &config, const node_predicate *from) {
  if (from == nullptr) return nullptr;
  if (!are_replaced()) return std::make_unique<node_predicate>(std::move(*wrap_predicate(copy(*from->bound))));
  auto bound = source_.bind(module_kind::predicate, config.canary.front().predicate, "{}", max_types_);
  if (!bound) return nullptr;
  auto wrapped = wrap_predicate(std::move(*bound));
  return wrapped ? std::make_unique<node_predicate>(std::move(*wrapped)) : nullptr;
}

std::unique_ptr<placement_rule> policy_copier::copy(const placement_rule &from) {
  auto out = std::make_unique<placement_rule>();
  out->name = from.name;
  out->create = from.create;
  out->filter = from.filter;
  if (from.bound != nullptr) out->bound = copy(*from.bound);
  out->value_length = from.value_length;
  if (from.parent != nullptr) out->parent = copy(*from.parent);
  return out;
}

std::vector<node_predicate> policy_copier::copy(const std::vector<node_predicate> &from) {
  std::vector<node_predicate> out;
  if (!are_replaced()) {
    for (const node_predicate &p : from) out.push_back(std::move(*wrap_predicate(copy(*p.bound))));
    return out;
  }
  auto found = source_.predicates(max_types_);
  if (!found) return out;
  for (auto &bound : *found) {
    if (auto wrapped = wrap_predicate(std::move(bound))) out.push_back(std::move(*wrapped));
  }
  return out;
}

}  // namespace tenon::internal
