// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Load: what comes next in a cluster, drawn from a seed and from what is there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profile.hpp"
#include "rules/arena.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::sim {

// A command with what it points to.
struct timed_command {
  int64_t now_ms = 0;
  command what;
  std::shared_ptr<testing::arena> own;
};

class load {
 public:
  // `wanted`: the profile; null draws one.
  load(uint64_t seed, const profile *wanted)
      : random_(seed), profile_(wanted != nullptr ? *wanted : draw_profile(random_)) {}

  // The command after those that led to `seen`.
  timed_command next(const kernel_snapshot &seen);
  [[nodiscard]] const profile &about() const { return profile_; }
  // What comes next is another one of a crowd, whatever has happened.
  [[nodiscard]] bool in_a_crowd() const { return crowd_.left > 0; }

 private:
  command choose(const kernel_snapshot &seen);
  command choose_in(const partition_snapshot &p);
  command choose_in_dense(const partition_snapshot &p);
  command choose_among_places(const partition_snapshot &p);
  command a_configuration(bool anew);
  command a_signal();
  command an_application(const partition_snapshot &p);
  command an_ask(const partition_snapshot &p);
  command a_release(const partition_snapshot &p);
  // All that an application has, or all that it asks for.
  command a_loss(const partition_snapshot &p, release_what what);
  command a_move(const partition_snapshot &p);
  std::optional<command> a_confirmation(const partition_snapshot &p);
  // What the resource manager says to what is proposed.
  std::optional<command> an_answer(const partition_snapshot &p);
  command a_new_node(const partition_snapshot &p);
  command a_node_update(const partition_snapshot &p);
  command a_node_change(const partition_snapshot &p);
  command an_allocation(const partition_snapshot &p);
  command a_step(const partition_snapshot &p);
  void begin_a_crowd(const partition_snapshot &p);
  existing_allocation one_of_the_crowd();
  command more_of_the_crowd();
  command what_meets_the_crowd();
  // What people do.
  command a_partition_change(const partition_snapshot &p);
  command a_canary_change(const partition_snapshot &p);
  command a_module_swap();
  command an_intervention(const partition_snapshot &p);

  put_ask make_ask(const partition_snapshot &p);
  void shape_gang_ask(const partition_snapshot &p, put_ask &c);
  existing_allocation make_existing(const partition_snapshot &p);
  std::string some_application(const partition_snapshot &p);
  std::string some_node(const partition_snapshot &p);
  std::string some_key(const partition_snapshot &p, const std::string &application);
  std::string some_queue(const partition_snapshot &p);
  amount_map some_resources();
  amount_map some_capacity();
  amount_map enlarged(amount_map amounts);  // some of them near the largest sum
  std::string a_late_type();                // of more and more of them
  void divide(amount_map &capacity, std::map<std::string, std::string> &attributes);
  std::map<std::string, std::string> application_tags();
  std::map<std::string, std::string> node_attributes();
  // Tag tenon/devices/gpu for the ask's amount.
  std::string some_split(int64_t amount);
  std::string some_detail(const amount_map &resources);

  random random_;
  profile profile_;
  std::shared_ptr<testing::arena> own_;
  int64_t now_ms_ = 1'700'000'000'000;
  bool registered_ = false;
  int64_t next_name_ = 1;
  struct {
    std::string partition, application;
    std::string node;              // where they run; empty: they ask
    bool comes_with_node = false;  // all of them at once
    std::string key;               // of all that run; empty: each has its own
    int64_t left = 0;
    bool met = true;
  } crowd_;
};

}  // namespace tenon::sim
