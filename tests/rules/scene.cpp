// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

namespace tenon::testing {

std::string brief(const decision_view &d) {
  std::string out(name(d.kind()));
  const auto append = [&](std::string_view before, std::string_view part) {
    if (part.empty()) return;
    out += before;
    out += part;
  };
  append(" ", d.application);
  append(d.application.empty() ? " " : "/", d.key);
  if (d.allocation_sequence != 0) out += "#" + std::to_string(d.allocation_sequence);
  append(" on ", d.node);
  if (d.kind() == decision_kind::released || d.kind() == decision_kind::ask_released) append(" ", name(*end_of(d)));
  append(d.kind() == decision_kind::application_state || d.kind() == decision_kind::allocated ? " " : ": ", text_of(d));
  append(" with ", devices_of(d));
  return out;
}

queue_config make_queue(std::string name, std::vector<queue_config> children) {
  queue_config q;
  q.name = std::move(name);
  q.parent = !children.empty();
  q.queues = std::move(children);
  return q;
}

limit_config make_limit(std::vector<std::string> users, std::vector<std::string> groups, amount_map max_resources,
                        uint64_t max_applications) {
  return {"a limit", std::move(users), std::move(groups), std::move(max_resources), max_applications};
}

cluster_config make_cluster(std::vector<queue_config> queues) {
  cluster_config c;
  partition_config &p = c.partitions.emplace_back();
  p.root = make_queue("root", std::move(queues));
  p.root.parent = true;
  p.root.submit_acl = "*";
  return c;
}

}  // namespace tenon::testing
