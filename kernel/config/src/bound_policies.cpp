// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/bound_policies.hpp"

#include <algorithm>

#include "tenon/kernel/names.hpp"

namespace tenon::config {
namespace {

class collector {
 public:
  std::vector<policy_name> take(const cluster_config &queues) {
    for (const partition_config &p : queues.partitions) {
      where_ = "partition " + p.name + ": ";
      note(module_kind::node_sort, p.node_sort.type.empty() ? "fair" : p.node_sort.type, "nodesortpolicy.type");
      for (const canary_config &c : p.canary) note(c.kind(), c.policy(), "canary");
      collect(p.root, p.root.name);
      note(module_kind::queue_sort, "fair", "queues that name no queue.sort.policy");
      note(module_kind::app_sort, "fifo", "queues that name no application.sort.policy");
      for (const placement_rule_config &rule : p.placement_rules) collect(rule);
      if (p.placement_rules.empty()) note(module_kind::placement_rule, "provided", "no placementrules");
      const std::string &resolver = p.user_group_resolver;
      if (!resolver.empty() && resolver != "none") note(module_kind::identity, resolver, "usergroupresolver.type");
    }
    return std::move(out_);
  }

 private:
  void collect(const queue_config &queue, const std::string &path) {
    for (const auto *properties : {&queue.properties, &queue.child_template.properties}) {
      for (const auto &[key, value] : *properties) {
        if (value.empty()) continue;
        if (key == "application.sort.policy") note(module_kind::app_sort, value, path + ", " + key);
        if (key == "queue.sort.policy") note(module_kind::queue_sort, value, path + ", " + key);
      }
    }
    for (const queue_config &child : queue.queues) collect(child, path + "." + child.name);
  }

  void collect(const placement_rule_config &rule) {
    note(module_kind::placement_rule, lower_case(rule.name), "placementrules");
    for (const placement_rule_config &parent : rule.parent) collect(parent);
  }

  void note(module_kind kind, const std::string &name, const std::string &by) {
    const bool known = std::any_of(out_.begin(), out_.end(),
                                   [&](const policy_name &one) { return one.kind == kind && one.name == name; });
    if (!known) out_.push_back({kind, name, where_ + by});
  }

  std::string where_;
  std::vector<policy_name> out_;
};

}  // namespace

std::vector<policy_name> bound_policies(const cluster_config &queues) { return collector().take(queues); }

}  // namespace tenon::config
