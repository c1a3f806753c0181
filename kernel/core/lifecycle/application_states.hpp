// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Application states: an application from its first to its last state, what follows when it enters one, and its place
// in its queue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "forward.hpp"
#include "model/application_table.hpp"
#include "rules/lifecycles.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct application_states_access {
  partition_clock clock;
  const partition_config &config;
  const class_table &classes;
  application_table &of;
  ask_lines &lines;
  allocation_states &allocations;
  sort_keys &keys;
  internal::limit_lines &limit_lines;
  internal::limits &limits;
  internal::reservations &reservations;
  internal::proposals &proposals;
  internal::replacements &replacements;
  internal::placeholder_timers &placeholder_timers;
  change_dispatcher &changes;
};

class application_states final : public application_lifecycle, application_states_access {
 public:
  explicit application_states(const application_states_access &all) : application_states_access(all) {}

  // -- Comes and goes. --
  application &create_application(std::string_view app_id, queue &leaf);
  void keep_rejected(const tenon::add_application &c, std::string why);  // in place of one of its id
  void lower_submission(application &app, int64_t create_time_ms);       // a time of 0 is none
  void remove(application &app);                                         // with all that it has
  void forget_new(application &app);                                     // that has nothing yet

  // -- States. --
  void run(application &app, std::string_view why) override;
  bool move(application &app, application_event event, std::string_view why) override;
  [[nodiscard]] int64_t time_in_state(const application &app) const override;
  void count_up(application &app, bool counted) override;
  void after_placing(application &app, const allocation &x) override;
  void settle(application &app, bool real_went = false) override;
  void expire_all(application &app, const reason &why, bool only_placeholders) override;
  void drop_asks(application &app, termination end, const reason &why, bool only_placeholders) override;
  // It fails, and waits until what it has is gone. Where its partition goes it waits for nothing.
  void fail(application &app, std::string_view text, const reason &why);
  void fail_at_once(application &app, std::string_view text);

  // -- Its place in its queue. --
  void give_up_place(application &app);  // its asks stand nowhere
  void leave_order(application &app);    // out of the applications of its queue, whose keys may look at each other
  void join_order(application &app);

  void fire(const timer &t);  // application_state, application_execution
  [[nodiscard]] bool is_void(const timer &t) const;

  // For a copy of the partition.
  void number_from(uint64_t next) { next_submission_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_submission_; }
  void end_from(uint64_t next) { next_end_ = next; }
  [[nodiscard]] uint64_t next_end() const { return next_end_; }

 private:
  void enter_state(application &app, application_state from);
  void note_state(application &app);
  void end(application &app);
  void leave_queue(application &app);
  void end_application(application &app);
  void forget(application &app);

  uint64_t next_submission_ = 1, next_end_ = 1;
};

}  // namespace tenon::internal
