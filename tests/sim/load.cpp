// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The course of a seed: which kind of command comes when.
#include "load.hpp"

#include "break_config.hpp"
#include "make_config.hpp"

namespace tenon::sim {

timed_command load::next(const kernel_snapshot &seen) {
  own_ = std::make_shared<testing::arena>();
  if (in_a_crowd()) return {now_ms_, more_of_the_crowd(), own_};
  if (!crowd_.met) return {now_ms_, what_meets_the_crowd(), own_};
  now_ms_ += random_.percent(50) ? 0 : random_.between(1, 400);
  if (random_.percent(profile_.jump_percent)) now_ms_ += random_.between(1, 40) * 1'000;
  if (random_.between(0, 999) == 0) now_ms_ += int64_t{73} * 3'600 * 1'000;
  const int64_t told = profile_.odd && random_.percent(2) ? now_ms_ - random_.between(1, 5'000) : now_ms_;
  command what = choose(seen);
  return {told, what, own_};
}

command load::choose(const kernel_snapshot &seen) {
  if (!registered_) return a_configuration(true);
  if (profile_.reloads) {
    if (random_.between(0, 99) < (profile_.places ? 2 : 3)) return a_configuration(false);
    if (random_.between(0, 199) < (profile_.places ? 1 : 2)) return a_signal();
    if (random_.between(0, 299) == 0) return a_configuration(true);
  }
  if (random_.percent(2)) return advance{};
  if (profile_.inspection && random_.percent(5)) {
    // In parts that are mostly smaller than what waits.
    return inspect{{}, {}, random_.percent(50) ? 0 : static_cast<uint32_t>(random_.between(1, 12))};
  }
  if (seen.partitions.empty()) return random_.percent(50) ? a_configuration(true) : choose_in({});
  return choose_in(random_.one_of(seen.partitions));
}

command load::choose_in(const partition_snapshot &p) {
  const auto few = static_cast<int64_t>(p.nodes.size()) < profile_.max_nodes;
  const auto idle = static_cast<int64_t>(p.applications.size()) < profile_.max_applications;
  // A cluster first, then work for it.
  if (p.nodes.size() < 2 && random_.percent(40)) return a_new_node(p);
  if (p.applications.size() < (profile_.dense ? 6 : 3) && random_.percent(40)) return an_application(p);
  if (random_.percent(12)) {
    if (const auto confirmed = a_confirmation(p)) return *confirmed;
  }
  if (profile_.crowd != 0 && !p.applications.empty() && random_.percent(2)) {
    begin_a_crowd(p);
    return more_of_the_crowd();
  }
  if (profile_.checks && random_.percent(35)) {
    if (const auto answer = an_answer(p)) return *answer;
  }
  if (profile_.people && random_.between(0, 199) < 5) return an_intervention(p);
  if (profile_.places) return choose_among_places(p);
  if (profile_.dense) return choose_in_dense(p);
  const int64_t draw = random_.between(0, 99);
  if (draw < 30) return a_step(p);
  if (draw < 55) return an_ask(p);
  if (draw < 64 && idle) return an_application(p);
  if (draw < 76) return a_release(p);
  if (draw < 84 && few) return a_new_node(p);
  if (draw < 88) return a_node_update(p);
  if (draw < 91) return a_node_change(p);
  if (draw < 93) return remove_application{own_->text(p.name), own_->text(some_application(p))};
  if (draw < 96 && profile_.recovery) return an_allocation(p);
  return a_step(p);
}

command load::choose_in_dense(const partition_snapshot &p) {
  const auto few = static_cast<int64_t>(p.nodes.size()) < profile_.max_nodes;
  const auto idle = static_cast<int64_t>(p.applications.size()) < profile_.max_applications;
  const int64_t draw = random_.between(0, 199);
  if (draw < 80) return an_ask(p);
  if (draw < 90 && idle) return an_application(p);
  if (draw < 98) return a_release(p);
  if (draw < 102 && few) return a_new_node(p);
  if (draw < 104) return a_node_update(p);
  if (draw < 106) return a_node_change(p);
  if (draw < 107) return remove_application{own_->text(p.name), own_->text(some_application(p))};
  if (draw < (profile_.quotas ? 123 : 113) && profile_.recovery) return an_allocation(p);
  return a_step(p);
}

// Applications lose their last allocation while they ask, and ask again when they have neither.
command load::choose_among_places(const partition_snapshot &p) {
  const auto few = static_cast<int64_t>(p.nodes.size()) < profile_.max_nodes;
  const auto idle = static_cast<int64_t>(p.applications.size()) < profile_.max_applications;
  const int64_t draw = random_.between(0, 199);
  if (draw < 50) return an_ask(p);
  if (draw < 68 && idle) return an_application(p);
  if (draw < 78) return a_loss(p, release_what::allocations);
  if (draw < 84) return a_loss(p, release_what::asks);
  if (draw < 100) return a_release(p);
  if (draw < 108 && few) return a_new_node(p);
  if (draw < 111) return a_node_update(p);
  if (draw < 115 && p.nodes.size() > 1) {
    return change_node{own_->text(p.name), own_->text(some_node(p)), static_cast<uint8_t>(node_event::decommission)};
  }
  if (draw < 117) return a_node_change(p);
  if (draw < 125) return a_move(p);
  if (draw < 127) return remove_application{own_->text(p.name), own_->text(some_application(p))};
  return a_step(p);
}

command load::a_configuration(bool anew) {
  const std::string rm = profile_.odd && random_.percent(5) ? random_.one_of({"", "other", "r[m"}) : "rm";
  cluster_config made = make_config(random_, profile_);
  const bool refused = registered_ && profile_.reloads && random_.percent(50);
  if (refused) break_config(random_, made);
  const cluster_config *config = own_->config(std::move(made));
  registered_ |= rm == "rm";
  const bool checks = profile_.checks && random_.percent(profile_.places ? 30 : 95);
  const int64_t deadline_ms = checks ? random_.between(1, 5) * 500 : 0;
  if (anew) return register_rm{own_->text(rm), "1", "default", config, deadline_ms};
  return configure{own_->text(rm), config};
}

command load::a_signal() {
  // Mostly away and back: what is over is over for long.
  const auto signal = random_.percent(45)   ? rm_signal::lost
                      : random_.percent(80) ? rm_signal::back
                      : random_.percent(50) ? rm_signal::timeout
                                            : rm_signal::shutdown;
  return signal_rm{own_->text(random_.percent(95) ? "rm" : "other"), signal};
}

command load::a_step(const partition_snapshot &p) {
  const int64_t many = random_.percent(60) ? 1 : random_.between(2, 30);
  return step{random_.percent(70) ? std::string_view() : own_->text(p.name), static_cast<uint32_t>(many), {}};
}

command load::a_partition_change(const partition_snapshot &p) {
  auto event = object_event::stop;
  if (p.state == object_state::stopped && random_.percent(75))
    event = object_event::start;
  else if (p.state == object_state::draining && random_.percent(50))
    event = object_event::start;
  else if (profile_.reloads && random_.percent(20))
    event = object_event::remove;
  if (profile_.odd && random_.percent(5)) event = static_cast<object_event>(random_.between(0, 6));
  return change_partition{own_->text(p.name), static_cast<uint8_t>(event)};
}

command load::a_canary_change(const partition_snapshot &p) {
  const bool likely = p.canary && p.canary->active;
  const bool back = random_.percent(90) ? likely : !likely;
  return change_canary{own_->text(p.name), back ? canary_turn::back : canary_turn::again,
                       own_->text(random_.one_of({"", "by olga", "by olga: slow\tnodes"}))};
}

// Of policies that nobody uses, too.
command load::a_module_swap() {
  static constexpr swapped_policy known[] = {
      {module_kind::queue_sort, "fair"},        {module_kind::app_sort, "fifo"},
      {module_kind::app_sort, "fair"},          {module_kind::app_sort, "stateaware"},
      {module_kind::node_sort, "fair"},         {module_kind::node_sort, "binpacking"},
      {module_kind::node_sort, "gpu-pack"},     {module_kind::predicate, "node-attributes"},
      {module_kind::placement_rule, "user"},    {module_kind::placement_rule, "tag"},
      {module_kind::placement_rule, "provided"}};
  std::vector<swapped_policy> wanted;
  const bool all = random_.percent(20);
  for (const swapped_policy &one : known) {
    if (all || random_.percent(25)) wanted.push_back(one);
  }
  return swap_module{
      "acme.policies", random_.percent(50) ? "aa" : "bb", "aa", {}, {}, own_->policies(std::move(wanted))};
}

command load::a_move(const partition_snapshot &p) {
  const std::string application = some_application(p), queue = some_queue(p);
  return move_application{own_->text(p.name), own_->text(application), own_->text(queue)};
}

command load::an_intervention(const partition_snapshot &p) {
  if (random_.percent(6)) return a_module_swap();
  if (profile_.canaries && random_.percent(p.canary && !p.canary->active ? 40 : 10)) return a_canary_change(p);
  // What is stopped is soon started again.
  if (random_.percent(p.state == object_state::stopped ? 60 : 8)) return a_partition_change(p);
  if (random_.percent(45)) return a_move(p);
  if (random_.percent(20)) {
    const std::string text = random_.one_of({"", "because"});
    return fail_application{own_->text(p.name), own_->text(some_application(p)), own_->text(text)};
  }
  std::vector<std::string> stopped;
  for (const queue_snapshot &q : p.queues) {
    if (q.state == object_state::stopped) stopped.push_back(q.path);
  }
  change_queue c{own_->text(p.name), {}, static_cast<uint8_t>(object_event::stop)};
  if (!stopped.empty() && random_.percent(75)) {
    c.queue = own_->text(random_.one_of(stopped));
    c.event = static_cast<uint8_t>(object_event::start);
  } else {
    c.queue = own_->text(some_queue(p));
    if (profile_.odd && random_.percent(5)) c.event = static_cast<uint8_t>(random_.between(0, 6));
  }
  return c;
}

}  // namespace tenon::sim
