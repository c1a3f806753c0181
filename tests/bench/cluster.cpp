// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

#include <malloc.h>

#include <stdexcept>

#include "tenon/builtin/policy_source.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::bench {
std::unique_ptr<policy_source> make_policies(const settings &s) {
  if (s.linked_policies) {
    return std::make_unique<builtin_policy_source>(
        std::vector<builtin_policy_source::predicate_use>{{"node-attributes"}});
  }
  host::host_options options;
  options.budgets = false;
  host::deployment plan = host::default_deployment();
  for (const std::string &id : s.isolated) {
    host::module_use use;
    use.id = id;
    use.isolation = host::isolation_mode::process;
    plan.modules.push_back(std::move(use));
  }
  auto opened = host::open_host(std::move(plan), options);
  if (!opened) throw std::runtime_error(opened.why().text());
  return std::move(*opened);
}

double heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

ask_keys::ask_keys(int64_t count, std::string_view prefix) : count_(count) {
  const std::string front = std::string(prefix) + "-0000-0000-0000-";
  constexpr size_t digits = 18;
  length_ = front.size() + digits;
  letters_.reserve(static_cast<size_t>(count) * length_);
  for (int64_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    letters_.append(front).append(digits - number.size(), '0').append(number);
  }
}

cluster::cluster(policy_source &policies, const settings &s) : settings_(s), kernel_(policies) {
  partition_config p;
  p.root.name = "root";
  p.root.parent = true;
  p.root.submit_acl = "*";
  p.root.properties["queue.sort.policy"] = s.queue_sort;
  p.root.properties["application.sort.policy"] = s.app_sort;
  p.node_sort.type = s.node_sort;
  for (int64_t i = 0; i < s.queues; ++i) {
    queue_config q;
    q.name = "q" + std::to_string(i);
    p.root.queues.push_back(std::move(q));
  }
  cluster_config config;
  config.partitions.push_back(std::move(p));
  register_rm c;
  c.rm = "rm";
  c.config = &config;
  run(c);
  kernel_.drain([](const decision_view &d) {
    if (d.kind() == decision_kind::rm_rejected) throw std::runtime_error(text_of(d));
  });
}

void cluster::deliver() {
  kernel_.drain([this](const decision_view &d) {
    if (d.kind() != decision_kind::allocated) return;
    ++allocated_;
    if (keep_placed) placed_.emplace_back(d.application, d.key);
  });
}

void cluster::add_nodes(int64_t count, const amount_map &capacity, const std::string &gpu_devices) {
  std::vector<named_amount> amounts_of_node;
  for (const auto &[type, amount] : capacity) amounts_of_node.push_back({type, amount});
  for (int64_t i = 0; i < count; ++i) {
    const std::string id = "node-" + std::to_string(i);
    add_node c;
    c.partition = partition_name;
    c.node = id;
    c.capacity = amounts_of_node;
    const named_text devices{"tenon/devices/gpu", gpu_devices};
    if (!gpu_devices.empty()) c.attributes = {&devices, 1};
    run(c);
    deliver();
  }
}

void cluster::add_applications() {
  for (int64_t i = 0; i < settings_.queues * settings_.applications; ++i) {
    application_names_.push_back("application-" + std::to_string(i));
    const std::string queue = "root.q" + std::to_string(i % settings_.queues);
    add_application c;
    c.partition = partition_name;
    c.application = application_names_.back();
    c.queue = queue;
    c.user = "user";
    run(c);
    deliver();
  }
}

void cluster::ask_one(uint32_t application, std::string_view key, const std::vector<named_amount> &need) {
  put_ask c;
  c.partition = partition_name;
  c.application = application_names_[application];
  c.key = key;
  c.resources = need;
  run(c);
}

void cluster::ask(const ask_keys &keys, const std::vector<named_amount> &need) {
  for (int64_t i = 0; i < keys.count(); ++i) {
    ask_one(static_cast<uint32_t>(static_cast<size_t>(i) % application_names_.size()), keys[i], need);
  }
}

void cluster::ask_in_gang(uint32_t application, const std::string &key, const std::vector<named_amount> &need,
                          bool placeholder) {
  put_ask c;
  c.partition = partition_name;
  c.application = application_names_[application];
  c.key = key;
  c.resources = need;
  c.task_group = "workers";
  c.placeholder = placeholder;
  run(c);
}

void cluster::give_back(uint32_t application, const std::string &key, termination why) {
  release c;
  c.partition = partition_name;
  c.application = application_names_[application];
  c.key = key;
  c.why = why;
  run(c);
}

void cluster::schedule() {
  step s;
  s.max_decisions = 1'000;
  while (kernel_.apply(now_ms_, s) != 0) deliver();
  deliver();
}

void cluster::schedule_singly(std::vector<uint32_t> &latencies) {
  const step s;
  for (;;) {
    const stopwatch watch;
    const uint32_t made = kernel_.apply(now_ms_, s);
    latencies.push_back(static_cast<uint32_t>(watch.nanoseconds()));
    deliver();
    if (made == 0) return;
  }
}

}  // namespace tenon::bench
