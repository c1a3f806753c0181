// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

namespace tenon::testing {

queue_config named_queue(std::string name, amount_map max, std::vector<queue_config> children) {
  queue_config q;
  q.name = std::move(name);
  q.max = std::move(max);
  q.parent = !children.empty();
  q.queues = std::move(children);
  return q;
}

cluster::cluster(std::vector<queue_config> queues, std::vector<limit_config> root_limits) : it_(built_in_) {
  start(std::move(queues), std::move(root_limits), "fair");
}

cluster::cluster(policy_source &policies, std::vector<queue_config> queues, std::string node_sort) : it_(policies) {
  start(std::move(queues), {}, std::move(node_sort));
}

void cluster::start(std::vector<queue_config> queues, std::vector<limit_config> root_limits, std::string node_sort) {
  partition_config p;
  p.node_sort.type = std::move(node_sort);
  p.root = named_queue("root", {}, std::move(queues));
  p.root.parent = true;
  p.root.submit_acl = "*";
  p.root.limits = std::move(root_limits);
  config_.partitions.push_back(std::move(p));
  run(register_rm{"rm", "1", "default", own_.config(config_)});
}

void cluster::run(const command &c) {
  it_.apply(now_ms_, c);
  append_entry(journal_, now_ms_, c, it_.answers());
  it_.drain([&](const decision_view &d) { decisions_.push_back(format(d)); });
}

void cluster::add_node(std::string_view id, const amount_map &capacity,
                       const std::map<std::string, std::string> &attributes) {
  tenon::add_node c;
  c.partition = default_partition;
  c.node = id;
  c.capacity = own_.resources(capacity);
  c.attributes = own_.tags(attributes);
  run(c);
}

void cluster::set_capacity(std::string_view id, const amount_map &capacity) {
  update_node c;
  c.partition = default_partition;
  c.node = id;
  c.capacity = own_.resources(capacity);
  c.has_capacity = true;
  run(c);
}

void cluster::set_attributes(std::string_view id, const std::map<std::string, std::string> &attributes) {
  update_node c;
  c.partition = default_partition;
  c.node = id;
  c.attributes = own_.tags(attributes);
  c.has_attributes = true;
  run(c);
}

void cluster::undrain(std::string_view id) {
  run(change_node{default_partition, id, static_cast<uint8_t>(node_event::undrain)});
}

void cluster::add_app(std::string_view id, std::string_view queue, std::string_view user,
                      const std::map<std::string, std::string> &tags) {
  add_application c;
  c.partition = default_partition;
  c.application = id;
  c.queue = queue;
  c.user = user;
  c.tags = own_.tags(tags);
  run(c);
}

void cluster::ask(std::string_view app, std::string_view key, const amount_map &resources, int32_t priority,
                  const std::map<std::string, std::string> &tags) {
  put_ask c;
  c.partition = default_partition;
  c.application = app;
  c.key = key;
  c.resources = own_.resources(resources);
  c.priority = priority;
  c.tags = own_.tags(tags);
  run(c);
}

void cluster::give_back(std::string_view app, std::string_view key) {
  release c;
  c.partition = default_partition;
  c.application = app;
  c.key = key;
  run(c);
}

void cluster::configure(cluster_config config) {
  config_ = std::move(config);
  run(tenon::configure{"rm", own_.config(config_)});
}

void cluster::settle() {
  for (;;) {
    step s;
    s.max_decisions = 1'000;
    const uint32_t made = it_.apply(now_ms_, s);
    it_.drain([&](const decision_view &d) { decisions_.push_back(format(d)); });
    if (made == 0) return;
  }
}

size_t cluster::placed(std::string_view app, std::string_view key) {
  size_t count = 0;
  const kernel_snapshot now = it_.snapshot();
  for (const partition_snapshot &p : now.partitions) {
    for (const application_snapshot &a : p.applications) {
      for (const allocation_snapshot &x : a.allocations) count += a.id == app && x.key == key ? 1 : 0;
    }
  }
  return count;
}

}  // namespace tenon::testing
