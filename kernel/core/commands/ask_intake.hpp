// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask intake: asks, and allocations that run already, as the resource manager reports them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/checked_needs.hpp"
#include "forward.hpp"
#include "model/partition_model.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct ask_intake_access {
  const core &shared;
  const std::unique_ptr<queue> &root;
  const class_table &classes;
  const resource_types &types;
  const node_table &nodes;
  const application_table &submitted;
  const std::map<std::string, int32_t> &priority_classes;
  resource_intake &intake;
  application_intake &applications;
  application_states &states;
  allocation_states &allocations;
  foreign_allocations &foreign;
  ask_classifier &classifier;
  node_sortings &sortings;
  ask_lines &lines;
  internal::proposals &proposals;
  internal::replacements &replacements;
  internal::reservations &reservations;
  unfit_placements &unfit;
  internal::gangs &gangs;
  internal::placeholder_timers &placeholder_timers;
  internal::quotas &quotas;
  decision_teller &decisions;
  const fact_teller &facts;
  change_dispatcher &changes;
};

// What a command says of an ask, as it was checked.
struct ask_terms {
  application *owner = nullptr;
  resources need;
  const resources *known = nullptr;  // in place of `need`, until the next command
  std::vector<class_devices> devices;
  int32_t priority = 0;

  [[nodiscard]] const resources &wanted() const { return known != nullptr ? *known : need; }
};

// What allocations that the RM reports are added to: what is on their node, and what a new node brought before them.
struct existing_sums {
  resources on_node, allocated;
};

class ask_intake : ask_intake_access {
 public:
  explicit ask_intake(const ask_intake_access &all) : ask_intake_access(all) {}

  void obey(const tenon::put_ask &c);
  void obey(const tenon::put_allocation &c);

  // -- What runs on a node already. --
  // What is wrong with it, or "". `n` is null where its node is new. Interns types, and makes the application of an
  // independent ask.
  std::string admit(const existing_allocation &e, const node *n, existing_sums &sums, ask_terms &out);
  void add_existing(const existing_allocation &e, node &n, bool node_is_new, const ask_terms &terms);

  // As another one has it: for a copy of the partition.
  void number_from(uint64_t next) { next_arrival_ = next; }
  [[nodiscard]] uint64_t next_number() const { return next_arrival_; }

 private:
  // "" or why not.
  std::string check(const tenon::put_ask &c, ask_terms &out);
  std::string check(const existing_allocation &e, const node *n, ask_terms &out);
  [[nodiscard]] std::string check_sums(const existing_allocation &e, const node *n, const existing_sums &sums,
                                       const ask_terms &terms) const;
  static allocation *meant_by(const existing_allocation &e, const ask &a, const node &n);
  [[nodiscard]] std::string problem_without_node(const tenon::put_allocation &c) const;
  // "" or which sum of the partition would become too large.
  std::string check_asked(const tenon::put_ask &c, const ask_terms &terms) const;
  std::string check_devices(texts tags, ask_terms &out) const;
  std::string check_need_of(const tenon::put_ask &c, resources &need) const;
  const resources *find_checked(amounts said) const;
  void note_checked(amounts said, const resources &need);
  // "" or why it takes no asks; null: there is no application of that id.
  static std::string application_problem(const application *app, std::string_view app_id);
  std::string check_priority(std::string_view class_name, int32_t &priority) const;
  // Nothing is to change.
  bool says_the_same(const ask &a, const tenon::put_ask &c, const ask_terms &terms);
  void fill_ask(ask &a, const tenon::put_ask &c, int32_t priority, int32_t wanted);
  void fill_details(ask_details &out, const tenon::put_ask &c);
  void reject_ask(const tenon::put_ask &c, std::string why);

  uint64_t next_arrival_ = 1;
  checked_needs checked_;
  uint64_t checked_for_ = 0;  // version of the types
  std::set<std::string, std::less<>>
      named_classes_;  // of the priority classes, past ones included, those that asks named
};

}  // namespace tenon::internal
