// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "break_config.hpp"

#include "tenon/kernel/resources.hpp"

namespace tenon::sim {
namespace {

queue_config &some_queue(random &r, queue_config &root) {
  queue_config *q = &root;
  while (!q->queues.empty() && r.percent(70)) {
    q = &q->queues[static_cast<size_t>(r.between(0, static_cast<int64_t>(q->queues.size()) - 1))];
  }
  return *q;
}

placement_rule_config wrong_rule(random &r) {
  placement_rule_config rule;
  rule.name = r.one_of({"recovery", "nobody-has-it", "tag", "fixed", "fixed", "fixed"});
  if (rule.name == "fixed") rule.value = r.one_of({"", "a..b", "not a name", "root.a"});
  if (rule.value == "root.a") rule.parent.emplace_back().name = "user";
  return rule;
}

// A chain of queues that is longer than any tree may be deep.
void bury(queue_config &q) {
  queue_config *at = &q;
  for (int depth = 0; depth < 40; ++depth) {
    at->parent = true;
    queue_config &below = at->queues.emplace_back();
    below.name = "deep";
    at = &below;
  }
}

}  // namespace

void break_config(random &r, cluster_config &c) {
  partition_config &p = c.partitions[static_cast<size_t>(r.between(0, static_cast<int64_t>(c.partitions.size()) - 1))];
  switch (r.between(0, 4)) {
    case 0:
      some_queue(r, p.root).submit_acl = "ann dev one-too-many";
      break;
    case 1:
      some_queue(r, p.root).admin_acl = "a b c";
      break;
    case 2:
      bury(some_queue(r, p.root));
      break;
    case 3:
      some_queue(r, p.root).max["memory"] = largest_sum + r.between(1, 2);
      break;
    default: {
      const auto at = r.between(0, static_cast<int64_t>(p.placement_rules.size()));
      p.placement_rules.insert(p.placement_rules.begin() + at, wrong_rule(r));
    }
  }
}

}  // namespace tenon::sim
