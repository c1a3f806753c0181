// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/restored_orders.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tenon::internal {
namespace {

class order_restorer {
 public:
  order_restorer(policy_source &source, uint32_t most_types) : source_(source), most_types_(most_types) {}

  // Those that the configuration names are bound; others stayed from those before it.
  std::string add(module_kind kind, const std::vector<saved_policy> &from,
                  std::map<std::string, std::unique_ptr<sort_policy>> &to) {
    for (const saved_policy &p : from) {
      if (!to.contains(p.name)) {
        auto bound = source_.bind(kind, p.name, "{}", most_types_);
        if (!bound) return bound.why().text();
        auto wrapped = wrap_sort_policy(kind, std::move(*bound));
        if (!wrapped) return wrapped.why().text();
        to.emplace(p.name, std::move(*wrapped));
      }
      if (p.faulty) put_fallback(*to.at(p.name));
    }
    return {};
  }

  void put_fallback(sort_policy &policy) {
    auto wrapped = wrap_sort_policy(policy.kind, source_.fallback(policy.kind, most_types_));
    const bool chosen = policy.chosen, canary = policy.canary;
    policy = std::move(**wrapped);
    policy.faulty = true;
    policy.chosen = chosen;
    policy.canary = canary;
  }

 private:
  policy_source &source_;
  uint32_t most_types_;
};

}  // namespace

std::string restore_orders(const saved_partition &from, sort_orders &to, policy_source &source, uint32_t most_types,
                           const std::function<node_sorting *(const std::string &name)> &choose) {
  order_restorer orders(source, most_types);
  std::string problem = orders.add(module_kind::queue_sort, from.queue_orders, to.queues.of_queues);
  if (problem.empty()) {
    problem = orders.add(module_kind::app_sort, from.application_orders, to.queues.of_applications);
  }
  if (!problem.empty()) return problem;
  if (from.node_order_faulty) orders.put_fallback(*to.nodes.own.policy);
  to.nodes.start(to.nodes.own);
  for (const auto &[name, is_bound, faulty] : from.chosen_orders) {
    if (!is_bound) {
      to.nodes.chosen.try_emplace(name);
      continue;
    }
    node_sorting *by = choose(name);
    if (by == nullptr) return "there is no order of nodes " + name;
    if (!faulty) continue;
    orders.put_fallback(*by->policy);
    to.nodes.start(*by);
  }
  if (!from.has_canary) to.nodes.canary = nullptr;
  if (from.has_canary && !to.nodes.of_canary.in_place) return "the configuration has no canary";
  if (from.canary_faulty && to.nodes.canary != nullptr) {
    orders.put_fallback(*to.nodes.canary->policy);
    to.nodes.start(*to.nodes.canary);
  }
  to.nodes.of_canary = {from.has_canary, from.canary_why, from.canary_since_ms};
  return {};
}

}  // namespace tenon::internal
