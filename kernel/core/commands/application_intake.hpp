// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Application intake: applications that the resource manager adds, those that the kernel makes for asks without one,
// and their removal.
#pragma once

#include <array>
#include <string>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct application_intake_access {
  core &shared;
  const partition_identity &identity;
  const application_table &submitted;
  const resource_types &types;
  resource_intake &intake;
  internal::placement &placement;
  chosen_node_orders &chosen_orders;
  internal::canary &canary;
  application_states &states;
  internal::limits &limits;
  decision_teller &decisions;
  const fact_teller &facts;
  change_dispatcher &changes;
};

class application_intake : application_intake_access {
 public:
  explicit application_intake(const application_intake_access &all) : application_intake_access(all) {}

  void obey(const tenon::add_application &c);
  void obey(const tenon::remove_application &c);
  void obey(const tenon::fail_application &c);
  [[nodiscard]] std::string problem_with(const tenon::fail_application &c) const;

  // The application of an independent ask, made where it is not active yet; null with the reason.
  application *independent_application(const tenon::put_ask &c, std::string &problem);
  // Its node is refused after all: nothing stays of the application that was made for it.
  void forget_unused_independent(const existing_allocation &e);

  // "" or why the queue does not take such a gang.
  std::string gang_problem(const queue &leaf, const resources &gang, std::string_view app_id) const;
  // Words of an application to be; "" or why its leaf's order refuses it.
  std::string prepare_submitted(const queue &leaf, std::string_view app_id, const tag_list &tags,
                                std::array<uint64_t, 4> &words) const;

 private:
  // What a command says of an application, as it was checked.
  struct application_terms {
    queue *leaf = nullptr;
    resources gang;
    tag_list tags;
    std::array<uint64_t, 4> prepared{};  // by the leaf's order
  };

  // "" or why no queue takes it. Queues are made where the rules allow.
  std::string check_place(const tenon::add_application &c, application_terms &out);
  application &take_in(const tenon::add_application &c, application_terms terms, bool independent);
  void reject_application(const tenon::add_application &c, std::string why, bool keep);
  [[nodiscard]] std::string check(const tenon::fail_application &c, application *&out) const;
};

}  // namespace tenon::internal
