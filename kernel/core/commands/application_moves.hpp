// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Application moves: an application into another queue, with everything that is counted in the old one and its parents.
#pragma once

#include <string>
#include <vector>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct application_moves_access {
  const application_table &of;
  const class_table &classes;
  const resource_types &types;
  const queue_tree &queues;
  const application_intake &intake;
  application_states &states;
  ask_lines &lines;
  internal::limits &limits;
  internal::claims &claims;
  internal::canary &canary;
  change_dispatcher &changes;
};

class application_moves : application_moves_access {
 public:
  explicit application_moves(const application_moves_access &all) : application_moves_access(all) {}

  void obey(const tenon::move_application &c);
  [[nodiscard]] std::string problem_with(const tenon::move_application &c) const;

 private:
  struct move_terms {
    application *app = nullptr;
    queue *to = nullptr;
  };

  [[nodiscard]] std::string check(const tenon::move_application &c, move_terms &out) const;
  [[nodiscard]] std::string problem_of_shape(const application &app, const queue &to) const;
  [[nodiscard]] std::string problem_of_usage(const application &app, const queue &to) const;
  [[nodiscard]] std::string problem_of_limits(const application &app, const queue &to) const;
  void count_in_queues(application &app, const std::vector<ask *> &waiting, int sign);
};

}  // namespace tenon::internal
