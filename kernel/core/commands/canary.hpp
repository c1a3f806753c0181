// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Canary: an order of nodes or a predicate that some applications of a partition have before all do. Who has it goes
// by the application's id and queue alone. It goes back by itself where its policy fails or its placements wait too
// long, and forward only by people: with a configuration, or as they say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "forward.hpp"
#include "model/partition_model.hpp"
#include "policies/node_sorting.hpp"
#include "policies/policy_batch.hpp"
#include "rules/node_verdicts.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/snapshot.hpp"

namespace tenon::internal {

struct canary_access {
  core &shared;
  const partition_config &config;
  const resource_types &types;
  const application_table &of;
  node_sortings &sortings;
  sort_keys &keys;
  ask_classifier &classifier;
  node_verdicts &verdicts;
  policy_faults &faults;
  change_dispatcher &changes;
};

// What came of a canary since it came.
struct canary_tally {
  struct side {
    uint64_t placed = 0;
    int64_t waited_ms = 0;
    void add(int64_t waited) {
      ++placed;
      waited_ms = add_saturating(waited_ms, waited);
    }
    [[nodiscard]] int64_t average_ms() const { return placed == 0 ? 0 : waited_ms / static_cast<int64_t>(placed); }
  };
  uint32_t faults = 0;
  bool fault_is_counted = false;  // of the command that runs
  side its, others;
  // Of its placements, those that are looked at together next, and how many of them waited longer than one may.
  uint32_t placed = 0, longer = 0;
  // Of both sides, what is compared next.
  side its_next, others_next;
};

// What a configuration's canary brings, bound: one of them.
struct bound_canary {
  std::unique_ptr<sort_policy> order;
  std::unique_ptr<node_predicate> predicate;
};

class canary : canary_access {
 public:
  explicit canary(const canary_access &all) : canary_access(all) {}

  // -- Configurations. --
  // "" or why it cannot be had. One that is written as before stays as it is: also where it went back.
  std::string stage(const partition_config &c);
  void adopt();  // what was staged

  // -- Applications. --
  // A new one without asks, or one that was moved.
  void place(application &app);
  void moved(application &app);

  // -- Going back by itself, while it is in place. --
  // What a decision told, or why there was none to make.
  void decided(std::span<const decision_view> told);
  void end_command();

  // -- What people do. --
  void obey(const tenon::change_canary &c);
  // Why nothing is done; "": something is.
  [[nodiscard]] std::string problem_with(const tenon::change_canary &c) const;

  // -- Readers, and a copy. --
  [[nodiscard]] std::optional<canary_snapshot> standing() const;
  [[nodiscard]] const canary_tally &tally() const { return tally_; }
  void copy(const canary_tally &from) { tally_ = from; }

 private:
  [[nodiscard]] bool is_in_place() const { return sortings.of_canary.in_place; }
  [[nodiscard]] bool takes(const application &app) const;
  // The policy that a configuration names, or why it cannot be had.
  std::string bind(const canary_config &c, bound_canary &out) const;
  void begin(bound_canary policy);
  void go_back(std::string why);
  void go_back_by_itself(std::string why);
  // Its policy failed in this command, and the decision that it failed at is made.
  [[nodiscard]] bool has_failed() const {
    return sortings.canary != nullptr ? sortings.canary->policy->faulty : verdicts.canary_has_failed();
  }
  void count_fault();
  void ask_policy_again();
  void count(const allocation &placed);
  // "": the placements that were counted are no reason to go back.
  std::string look_at_waiting();
  std::string compare_waiting();
  [[nodiscard]] bool is_on_neither_side(const application &app) const;
  void place_all();
  void reclassify();
  void drop();

  bool predicate_changed_ = false;  // one came or went: what its verdicts held up is looked at again
  bool changed_ = false;            // by what was staged
  bound_canary staged_;
  canary_tally tally_;
};

// Where an application stands among 1,000: 0 to 999, by the salt and its id (docs/canary.md says how).
[[nodiscard]] uint32_t canary_place(std::string_view salt, std::string_view application);

}  // namespace tenon::internal
