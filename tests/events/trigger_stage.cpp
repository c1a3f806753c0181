// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trigger_stories.hpp"

namespace tenon::testing {

void stage::start(std::vector<queue_config> queues, std::vector<limit_config> limits, amount_map node) {
  cluster_.emplace(std::move(queues), std::move(limits));
  (*cluster_)->set_fact_listener(told_);
  if (!node.empty()) cluster_->add_node("n1", node);
}

void stage::put(std::string_view key, const amount_map &need, const std::function<void(put_ask &)> &change) {
  put_ask p;
  p.partition = default_partition;
  p.application = "app";
  p.key = key;
  p.resources = own_.resources(need);
  if (change) change(p);
  cluster_->run(p);
}

void stage::add_app() {
  static constexpr std::string_view groups[] = {"ops", "dev"};
  add_application a;
  a.partition = default_partition;
  a.application = "app";
  a.queue = "root.a";
  a.user = "alice";
  a.groups = groups;
  cluster_->run(a);
}

void stage::existing(std::string_view node, std::string_view application, std::string_view key, const amount_map &has) {
  put_allocation p;
  p.partition = default_partition;
  p.node = node;
  p.allocation.ask.partition = default_partition;
  p.allocation.ask.application = application;
  p.allocation.ask.key = key;
  p.allocation.ask.resources = own_.resources(has);
  p.allocation.foreign = application.empty();
  cluster_->run(p);
}

void stage::release_for(termination why, std::string_view key) {
  release r;
  r.partition = default_partition;
  r.application = "app";
  r.key = key;
  r.why = why;
  cluster_->run(r);
}

void stage::change(std::string_view node, node_event event) {
  cluster_->run(change_node{default_partition, node, static_cast<uint8_t>(event)});
}

void stage::limit(const std::vector<limit_config> &limits, bool of_root) {
  reconfigure([&](partition_config &p) { (of_root ? p.root : p.root.queues[0]).limits = limits; });
}

void stage::reconfigure(const std::function<void(partition_config &)> &change) {
  cluster_config changed = cluster_->config();
  change(changed.partitions[0]);
  cluster_->configure(changed);
}

void stage::pass(int64_t ms) {
  cluster_->advance(ms);
  cluster_->run(advance{});
}

limit_config stage::of_user(std::string name, amount_map max) {
  limit_config out;
  out.users = {std::move(name)};
  out.max_resources = std::move(max);
  return out;
}

limit_config stage::of_group(std::string name, amount_map max) {
  limit_config out;
  out.groups = {std::move(name)};
  out.max_resources = std::move(max);
  return out;
}

}  // namespace tenon::testing
