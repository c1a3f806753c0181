// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Commands in, decisions out; resource managers and their partitions.
#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon {

using naive::partition;

namespace {

// The resource manager in "[rm]name"; empty when there is none.
std::string rm_of(std::string_view partition_name) {
  const size_t end = partition_name.find(']');
  if (!partition_name.starts_with('[') || end == std::string_view::npos) return {};
  return std::string(partition_name.substr(1, end - 1));
}

}  // namespace

struct oracle::impl {
  naive::world shared;
  std::map<std::string, rm_state> rms;
  std::map<std::string, int64_t> check_deadlines;  // by resource manager
  std::vector<std::unique_ptr<partition>> partitions;
  uint32_t decided = 0;

  partition *find(std::string_view name) {
    for (const auto &p : partitions) {
      if (p->name == name) return p.get();
    }
    return nullptr;
  }

  void forget(const std::function<bool(const partition &)> &which) {
    std::erase_if(partitions, [&](const auto &p) {
      if (!which(*p)) return false;
      shared.disarm([&](const naive::timer &t) { return t.where == p.get(); });
      return true;
    });
  }

  // What is looked at when a command, a timer or a decision is done.
  void look_around() {
    for (const auto &p : partitions) {
      p->void_quotas();
      p->free_places();
    }
  }

  void fire_timers(int64_t now_ms) {
    while (const auto t = shared.take_due(now_ms)) {
      shared.now_ms = std::max(shared.now_ms, t->due_ms);
      t->where->on_timer(*t);
      look_around();
      forget([&](const partition &p) { return &p == t->where && p.finished() && t->kind >= naive::timer_kind::drain; });
    }
  }

  naive::decision &refuse(decision_kind kind, std::string_view partition_name, std::string_view application,
                          std::string_view key, std::string_view node, std::string text) {
    naive::decision &d = shared.emit(kind, rm_of(partition_name));
    d.partition = partition_name;
    d.application = application;
    d.key = key;
    d.node = node;
    d.text = std::move(text);
    return d;
  }

  // The plain names of the partitions of the resource manager that a full name names, of the first hundred partitions.
  std::vector<std::string_view> beside(std::string_view full_name) const {
    std::vector<std::string_view> out;
    const std::string of = rm_of(full_name);
    for (size_t i = 0; i < std::min<size_t>(partitions.size(), 100); ++i) {
      if (full_name.starts_with('[') && partitions[i]->rm == of) out.push_back(partitions[i]->plain_name);
    }
    return out;
  }

  // -- Resource managers and configurations --

  // Why the configuration cannot be had by this resource manager, empty when it can.
  std::string problem_of(const std::string &rm, const cluster_config &config, bool anew) {
    for (const partition_config &c : config.partitions) {
      partition *now = anew ? nullptr : find("[" + rm + "]" + c.name);
      if (std::string why = partition::problem_of(c, now, shared.options); !why.empty()) return why;
    }
    return {};
  }

  void run(const register_rm &c) {
    const std::string rm(c.rm);
    std::string why;
    if (rm.empty() || rm.find_first_of("[]") != std::string::npos) why = messages::rm_id_invalid(rm);
    if (why.empty()) why = problem_of(rm, *c.config, true);
    if (!why.empty()) {
      shared.emit(decision_kind::rm_rejected, rm).text = messages::registration_failed(why);
      return;
    }
    forget([&](const partition &p) { return p.rm == rm; });
    rms[rm] = rm_state::running;
    check_deadlines[rm] = c.check_deadline_ms;
    for (const partition_config &p : c.config->partitions) {
      partitions.push_back(std::make_unique<partition>(shared, rm, p, c.config->priority_classes, check_deadlines[rm]));
    }
    shared.emit(decision_kind::rm_registered, rm);
  }

  void run(const configure &c) {
    const std::string rm(c.rm);
    std::string why;
    if (!rms.contains(rm) || rms[rm] == rm_state::stopped) why = messages::rm_not_registered(rm);
    if (why.empty()) why = problem_of(rm, *c.config, false);
    if (!why.empty()) {
      shared.emit(decision_kind::configuration_rejected, rm).text = messages::configuration_failed(why);
      return;
    }
    shared.emit(decision_kind::configured, rm);
    for (const auto &p : partitions) {
      const bool named = std::any_of(c.config->partitions.begin(), c.config->partitions.end(),
                                     [&](const partition_config &n) { return n.name == p->plain_name; });
      if (p->rm == rm && !named) p->leave_out();
    }
    for (const partition_config &p : c.config->partitions) {
      if (partition *now = find("[" + rm + "]" + p.name)) {
        now->configure(p, c.config->priority_classes);
      } else {
        partitions.push_back(
            std::make_unique<partition>(shared, rm, p, c.config->priority_classes, check_deadlines[rm]));
        partitions.back()->paused = rms[rm] == rm_state::paused;
      }
    }
  }

  void run(const signal_rm &c) {
    const std::string rm(c.rm);
    const auto refused = [&](std::string why) { shared.emit(decision_kind::rm_rejected, rm).text = std::move(why); };
    if (!rms.contains(rm) || rms[rm] == rm_state::stopped) return refused(messages::rm_not_registered(rm));
    static const std::map<rm_signal, rm_event> events{{rm_signal::lost, rm_event::lost},
                                                      {rm_signal::back, rm_event::back},
                                                      {rm_signal::timeout, rm_event::timeout},
                                                      {rm_signal::shutdown, rm_event::shutdown}};
    const rm_event event = events.at(c.signal);
    const auto next = next_state(rms[rm], event);
    if (!next) return refused(refusal_text(rms[rm], event));
    rms[rm] = *next;
    for (const auto &p : partitions) {
      if (p->rm != rm) continue;
      p->paused = *next == rm_state::paused;
      if (p->paused) p->inspected = {};
      if (c.signal == rm_signal::lost) p->stop_check_timers();
      if (c.signal != rm_signal::back) continue;
      p->forget_refusals({}, {}, {});
      p->stop_check_timers();  // of what was delivered while it was away
      p->arm_check_timers(0, p->delivered_to);
    }
    if (*next == rm_state::stopped) forget([&](const partition &p) { return p.rm == rm; });
  }

  // -- Commands of one partition --

  void run(const add_application &c) {
    if (partition *p = find(c.partition)) return p->add_application(c);
    refuse(decision_kind::application_rejected, c.partition, c.application, {}, {},
           messages::application_without_partition(c.application, c.partition, beside(c.partition)));
  }
  void run(const remove_application &c) {
    if (partition *p = find(c.partition)) p->remove_application(c);
  }
  void run(const put_ask &c) {
    if (partition *p = find(c.partition)) return p->put_ask(c);
    refuse(decision_kind::ask_rejected, c.partition, c.application, c.key, {},
           messages::no_partition(c.partition, beside(c.partition)));
  }
  void run(const put_allocation &c) {
    if (partition *p = find(c.partition)) return p->put_allocation(c);
    refuse(decision_kind::allocation_rejected, c.partition, c.allocation.ask.application, c.allocation.ask.key, c.node,
           messages::no_partition(c.partition, beside(c.partition)));
  }
  void run(const release &c) {
    if (partition *p = find(c.partition)) p->release(c);
  }
  void run(const add_node &c) {
    if (partition *p = find(c.partition)) return p->add_node(c);
    refuse(decision_kind::node_rejected, c.partition, {}, {}, c.node,
           messages::node_rejected(messages::node_without_partition(c.partition, c.node, beside(c.partition))));
  }
  void run(const update_node &c) {
    if (partition *p = find(c.partition)) return p->update_node(c);
    refuse(decision_kind::node_update_rejected, c.partition, {}, {}, c.node,
           messages::no_partition(c.partition, beside(c.partition)));
  }
  void run(const change_node &c) {
    if (partition *p = find(c.partition)) return p->change_node(c);
    refuse(decision_kind::node_update_rejected, c.partition, {}, {}, c.node,
           messages::no_partition(c.partition, beside(c.partition)));
  }

  void run(const check_answer &c) {
    if (partition *p = find(c.partition)) p->answer(c);
  }
  void run(const check_again &c) {
    if (partition *p = find(c.partition)) p->forget_refusals(c.application, c.key, c.node);
  }
  void run(const change_partition &c) {
    if (partition *p = find(c.partition)) p->change_partition(c);
  }
  void run(const change_canary &c) {
    if (partition *p = find(c.partition)) p->change_canary(c);
  }
  void run(const swap_module &c) {
    for (const auto &p : partitions) p->swap_module(c);
  }
  void run(const checks_delivered &c) {
    if (partition *p = find(c.partition)) p->delivered(c);
  }
  void run(const change_queue &c) {
    if (partition *p = find(c.partition)) p->change_queue(c);
  }
  void run(const fail_application &c) {
    if (partition *p = find(c.partition)) p->fail_application(c);
  }
  void run(const move_application &c) {
    if (partition *p = find(c.partition)) p->move_application(c);
  }

  void hold_as_told() {
    for (const auto &p : partitions) p->hold_as_told(decided);
  }
  void run(const step &c) {
    for (uint32_t round = 0; round < c.max_decisions; ++round) {
      const uint32_t before = decided;
      for (const auto &p : partitions) {
        if (!c.partition.empty() && p->name != c.partition) continue;
        const bool made = p->decide();
        p->look_at_canary();
        if (!made) continue;
        ++decided;
        hold_as_told();
      }
      if (decided == before) return;
    }
  }
  void run(const advance &) {}
  void run(const inspect &c) {
    for (const auto &p : partitions) {
      if (!shared.has.inspection || p->paused || (!c.partition.empty() && p->name != c.partition)) continue;
      p->inspect(c.most);
      decided += p->inspected.leaves.empty() ? 0 : 1;
    }
  }
};

oracle::oracle(kernel_options options, naive::features has) : impl_(std::make_unique<impl>()) {
  impl_->shared.options = options;
  impl_->shared.has = has;
}
oracle::~oracle() = default;

uint32_t oracle::apply(int64_t now_ms, const command &c) {
  now_ms = std::max(now_ms, impl_->shared.now_ms);
  impl_->fire_timers(now_ms);
  impl_->shared.now_ms = now_ms;
  impl_->decided = 0;
  impl_->shared.told = answers_of(c);
  impl_->hold_as_told();
  for (const auto &p : impl_->partitions) p->brought.clear();
  std::visit([this](const auto &one) { impl_->run(one); }, c);
  impl_->look_around();
  for (const auto &p : impl_->partitions) p->end_command_of_canary();
  impl_->shared.told = {};
  return impl_->decided;
}

void oracle::drain(const std::function<void(const decision_view &)> &take) {
  for (const naive::decision &d : impl_->shared.outbox) take(d.view());
  impl_->shared.outbox.clear();
}

std::optional<int64_t> oracle::next_due() const {
  std::optional<int64_t> first;
  for (const naive::timer &t : impl_->shared.timers) first = std::min(first.value_or(t.due_ms), t.due_ms);
  return first;
}

void oracle::set_rm_check(rm_check check, rm_check reservations) {
  impl_->shared.check = std::move(check);
  impl_->shared.reservation_check = std::move(reservations);
}

int64_t oracle::now_ms() const { return impl_->shared.now_ms; }

kernel_snapshot oracle::snapshot() const {
  kernel_snapshot out;
  out.now_ms = impl_->shared.now_ms;
  for (const auto &p : impl_->partitions) out.partitions.push_back(p->snapshot());
  return out;
}

}  // namespace tenon
