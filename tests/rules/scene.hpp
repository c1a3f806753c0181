// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Scene: a scheduler with one resource manager "rm", told what to do in a line each. The same tests run on the
// oracle and on the kernel, as both follow docs/decisions.md.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arena.hpp"
#include "schedulers.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::testing {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using lines = std::vector<std::string>;
using tags_of = std::map<std::string, std::string>;

inline constexpr int64_t second = 1'000;
inline constexpr int64_t start_ms = 1'000'000;

// "released app-1/ask-1#1 on node-1 STOPPED_BY_RM: text with gpu=1@0", without what is empty, and without the
// reasons of states.
[[nodiscard]] std::string brief(const decision_view &d);

[[nodiscard]] queue_config make_queue(std::string name, std::vector<queue_config> children = {});
[[nodiscard]] limit_config make_limit(std::vector<std::string> users, std::vector<std::string> groups,
                                      amount_map max_resources, uint64_t max_applications = 0);
// One partition "default" whose root lets everybody submit.
[[nodiscard]] cluster_config make_cluster(std::vector<queue_config> queues);

struct app_options {
  std::string queue = "root.leaf";
  std::string user = "testuser";
  std::vector<std::string> groups = {"testgroup"};
  tags_of tags = {};
  int64_t execution_timeout_ms = 0;
  amount_map placeholder_ask = {};
  bool hard_gang = false;
};

struct ask_options {
  int32_t count = 1;
  int32_t priority = 0;
  std::string priority_class = {};
  int64_t create_time_ms = 0;
  int64_t execution_timeout_ms = 0;
  tags_of tags = {};
  std::string task_group = {};
  std::string required_node = {};
  bool placeholder = false;
  bool originator = false;
  bool preempt_self = true, preempt_other = false;
};

struct node_options {
  amount_map occupied = {};
  tags_of attributes = {};
  bool schedulable = true;
  std::vector<existing_allocation> existing = {};
};

template <class Scheduler>
class scene : public ::testing::Test {
 public:
  // Applies the command now and gives what was decided.
  lines run(const command &c) {
    made_ = it_->apply(now_ms_, c);
    lines out;
    it_->drain([&](const decision_view &d) {
      out.push_back(brief(d));
      if (const auto *now = d.as<decided::application_state>())
        reasons_.push_back(std::string(name(now->state)) + ": " + std::string(now->message));
    });
    return out;
  }
  // What states were told with, since the last look.
  lines reasons() { return std::exchange(reasons_, {}); }

  lines start(cluster_config config, int64_t check_deadline_ms = 0) {
    return run(register_rm{"rm", "1", "default", own_.config(std::move(config)), check_deadline_ms});
  }
  // The RM answers to what was proposed under the number.
  lines accept(uint64_t number) { return run(check_answer{partition_, number, true, {}}); }
  // The RM is given the checks up to the number.
  lines deliver(uint64_t number) { return run(checks_delivered{partition_, number}); }
  lines refuse(uint64_t number) { return run(check_answer{partition_, number, false, "no"}); }
  lines start(std::vector<queue_config> queues) { return start(make_cluster(std::move(queues))); }
  lines reload(cluster_config config) { return run(configure{"rm", own_.config(std::move(config))}); }
  lines signal(rm_signal s) { return run(signal_rm{"rm", s}); }

  lines add_app(std::string id, app_options o = {}) {
    return run(add_application{partition_, own_.text(std::move(id)), own_.text(o.queue), own_.text(o.user),
                               own_.list(o.groups), own_.tags(o.tags), o.execution_timeout_ms,
                               own_.resources(o.placeholder_ask), o.hard_gang});
  }
  lines remove_app(std::string id) { return run(remove_application{partition_, own_.text(std::move(id))}); }

  put_ask make_ask(std::string app, std::string key, const amount_map &resources, const ask_options &o = {}) {
    put_ask c;
    c.partition = partition_;
    c.application = own_.text(std::move(app));
    c.key = own_.text(std::move(key));
    c.resources = own_.resources(resources);
    c.max_allocations = o.count;
    c.priority = o.priority;
    c.priority_class = own_.text(o.priority_class);
    c.create_time_ms = o.create_time_ms;
    c.execution_timeout_ms = o.execution_timeout_ms;
    c.tags = own_.tags(o.tags);
    c.task_group = own_.text(o.task_group);
    c.required_node = own_.text(o.required_node);
    c.placeholder = o.placeholder;
    c.originator = o.originator;
    c.allow_preempt_self = o.preempt_self;
    c.allow_preempt_other = o.preempt_other;
    return c;
  }
  lines ask(std::string app, std::string key, const amount_map &resources, const ask_options &o = {}) {
    return run(make_ask(std::move(app), std::move(key), resources, o));
  }
  existing_allocation existing(std::string app, std::string key, const amount_map &resources,
                               const ask_options &o = {}) {
    return {make_ask(std::move(app), std::move(key), resources, o), 0, false};
  }
  existing_allocation foreign(std::string key, const amount_map &resources) {
    return {make_ask("", std::move(key), resources), 0, true};
  }
  existing_allocation with_detail(existing_allocation x, std::string detail) {
    x.detail = own_.text(std::move(detail));
    return x;
  }
  lines put(std::string node, const existing_allocation &x) {
    return run(put_allocation{partition_, own_.text(std::move(node)), x});
  }

  lines add(std::string id, const amount_map &capacity, node_options o = {}) {
    return run(add_node{partition_, own_.text(std::move(id)), own_.resources(capacity), own_.resources(o.occupied),
                        own_.tags(o.attributes), o.schedulable, own_.existing(o.existing)});
  }
  lines change(std::string id, node_event e) {
    return run(change_node{partition_, own_.text(std::move(id)), static_cast<uint8_t>(e)});
  }
  lines change_by_administrator(std::string id, node_event e) {
    return run(change_node{partition_, own_.text(std::move(id)), static_cast<uint8_t>(e), true});
  }
  lines turn(std::string queue, object_event e) {
    return run(change_queue{partition_, own_.text(std::move(queue)), static_cast<uint8_t>(e)});
  }
  lines kill(std::string id, std::string why) {
    return run(fail_application{partition_, own_.text(std::move(id)), own_.text(std::move(why))});
  }
  lines move(std::string id, std::string queue) {
    return run(move_application{partition_, own_.text(std::move(id)), own_.text(std::move(queue))});
  }
  lines set_attributes(std::string id, const tags_of &attributes) {
    update_node c;
    c.partition = partition_;
    c.node = own_.text(std::move(id));
    c.attributes = own_.tags(attributes);
    c.has_attributes = true;
    return run(c);
  }
  lines set_capacity(std::string id, const amount_map &capacity) {
    update_node c;
    c.partition = partition_;
    c.node = own_.text(std::move(id));
    c.capacity = own_.resources(capacity);
    c.has_capacity = true;
    return run(c);
  }

  lines give_back(std::string app, std::string key, termination why = termination::stopped_by_rm,
                  release_what what = release_what::allocations, uint32_t limit = 0) {
    release c;
    c.partition = partition_;
    c.application = own_.text(std::move(app));
    c.key = own_.text(std::move(key));
    c.limit = limit;
    c.why = why;
    c.what = what;
    return run(c);
  }
  lines withdraw(std::string app, std::string key) {
    return give_back(std::move(app), std::move(key), termination::stopped_by_rm, release_what::asks);
  }

  lines schedule(uint32_t rounds = 1) { return run(step{{}, rounds, {}}); }
  lines wait(int64_t ms) {
    now_ms_ += ms;
    return run(advance{});
  }
  // Steps until nothing is left to decide; what was placed, in order.
  lines placed() {
    lines out;
    for (const std::string &line : schedule(1'000)) {
      if (line.starts_with("allocated ")) out.push_back(line.substr(10));
    }
    return out;
  }

  partition_snapshot look() {
    for (partition_snapshot &p : it_->snapshot().partitions) {
      if (p.name == partition_) return std::move(p);
    }
    return {};
  }
  std::optional<application_snapshot> app(const std::string &id) {
    const partition_snapshot all = look();
    for (const application_snapshot &a : all.applications) {
      if (a.id == id) return a;
    }
    for (const application_snapshot &a : all.ended) {
      if (a.id == id) return a;
    }
    return std::nullopt;
  }
  std::optional<queue_snapshot> queue_at(const std::string &path) {
    for (const queue_snapshot &q : look().queues) {
      if (q.path == path) return q;
    }
    return std::nullopt;
  }
  std::optional<node_snapshot> node_of(const std::string &id) {
    for (const node_snapshot &n : look().nodes) {
      if (n.id == id) return n;
    }
    return std::nullopt;
  }

 protected:
  scheduler_box<Scheduler> it_;
  arena own_;
  std::string_view partition_ = "[rm]default";
  int64_t now_ms_ = start_ms;
  uint32_t made_ = 0;
  lines reasons_;
};

}  // namespace tenon::testing
