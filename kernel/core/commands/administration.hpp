// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Administration: the partition and its queues stopped, started and drained, by people and where a configuration does
// not name them any more.
#pragma once

#include <cstdint>
#include <string>

#include "core.hpp"
#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct administration_access {
  partition_clock clock;
  partition_identity &of;
  const application_table &applications;
  queue_tree &queues;
  application_states &states;
  change_dispatcher &changes;
};

class administration : administration_access {
 public:
  explicit administration(const administration_access &all) : administration_access(all) {}

  // `problem` is why nothing is done.
  void obey(const tenon::change_partition &c);
  [[nodiscard]] std::string problem_with(const tenon::change_partition &c) const;
  void obey(const tenon::change_queue &c);
  [[nodiscard]] std::string problem_with(const tenon::change_queue &c) const;

  // A configuration does not name it: it drains, and what is left after some time fails.
  void leave_out();
  void take_back();  // it does again
  void arm_cleaner();
  void arm_drain(int64_t due_ms);
  void fire(const timer &t);  // cleaner, drain
  [[nodiscard]] bool is_void(const timer &t) const;
  [[nodiscard]] bool is_over() const { return over_; }  // nothing is left of it

 private:
  void turn(object_event event);  // one that is possible
  [[nodiscard]] std::string check(const tenon::change_queue &c, queue *&out) const;

  uint64_t drain_epoch_ = 0;  // 0: it may drain for ever
  bool over_ = false;
};

}  // namespace tenon::internal
