// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a resource manager knows of a scheduler that it talks to: only what it sent and what it was told.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "scenario/document.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/partition_name.hpp"

namespace tenon::cli {

class rm_model {
 public:
  // An allocation that runs, from the RM's view. Partition names are plain.
  struct allocation {
    std::string partition, application, key, node;
    uint64_t sequence = 0;     // 0: not known, because the scheduler took it over without saying so
    bool confirmed = true;     // false: from before a restart, or reported with a node, and not heard of since
    int64_t bind_time_ms = 0;  // 0: not known
    std::string detail;
  };

  // An allocation that the RM knows of, as it reports it with its node.
  struct known_allocation {
    ask_item ask;  // with the detail that the scheduler named
    int64_t bind_time_ms = 0;
  };

  // A release that the scheduler asked for and that the RM has not confirmed.
  struct open_release {
    std::string partition, application, key;
    uint64_t sequence = 0;  // 0: an ask, not an allocation
    termination why = termination::unknown;
  };

  // What was proposed to the RM and that it has not answered.
  struct open_check {
    std::string partition, application, key, node;
    uint64_t number = 0;
  };

  // What the RM sends; `ask` with its full key and a count of 1.
  void sends_ask(const ask_item &ask);
  void reports_existing(const std::string &node, const ask_item &ask);
  // Takes the allocation out of the running ones (and out of the open releases): the RM releases it.
  void releases(const std::string &partition, const std::string &application, const std::string &key,
                uint64_t sequence);
  // Takes the first open releases of these types, all types when there are none, at most `limit`.
  [[nodiscard]] std::vector<open_release> confirms(const std::vector<termination> &types,
                                                   std::optional<uint32_t> limit);
  // What was proposed since the last call, oldest first: the RM has it from now on.
  [[nodiscard]] std::vector<open_check> given() { return std::exchange(fresh_checks_, {}); }
  // Takes all that is proposed, oldest first.
  [[nodiscard]] std::vector<open_check> answers() { return std::exchange(checks_, {}); }
  // The scheduler stops. The RM keeps what it knew, and has nothing left to confirm.
  void restarts();

  // What the RM is told.
  void hears(const decision_view &d);

  [[nodiscard]] const std::vector<allocation> &running() const { return running_; }
  // Running allocations of an application, oldest first, of one key (base keys included) or of all.
  [[nodiscard]] std::vector<allocation> running_of(const std::string &partition, const std::string &application,
                                                   const std::string &key) const;
  // Releases still open, oldest first, of one key.
  [[nodiscard]] std::vector<open_release> open_of(const std::string &partition, const std::string &application,
                                                  const std::string &key) const;
  // Keys sent under this one: itself, or key~000, key~001, ... Itself where nothing is known of it.
  [[nodiscard]] text_list sent_keys(const std::string &partition, const std::string &application,
                                    const std::string &key) const;
  // The running allocations on a node, to report them again.
  [[nodiscard]] std::vector<known_allocation> running_on(const std::string &partition, const std::string &node) const;

  [[nodiscard]] text_list proposed_keys() const;
  [[nodiscard]] const text_list &accepted_apps() const { return accepted_apps_; }
  [[nodiscard]] const text_map &rejected_apps() const { return rejected_apps_; }        // reasons, one a line
  [[nodiscard]] const text_map &app_states() const { return app_states_; }              // states, one a line
  [[nodiscard]] const text_map &app_messages() const { return app_messages_; }          // why, one a line
  [[nodiscard]] const text_map &container_states() const { return container_states_; }  // the last of each ask, by key
  [[nodiscard]] uint64_t container_updates() const { return container_updates_; }       // how many of SKIPPED, FAILED
  [[nodiscard]] const text_list &accepted_nodes() const { return accepted_nodes_; }
  [[nodiscard]] const text_list &rejected_nodes() const { return rejected_nodes_; }
  // The first few things that the scheduler refused, each with the reason.
  [[nodiscard]] const text_list &refusals() const { return refusals_; }
  [[nodiscard]] const text_list &rejected_asks() const { return rejected_asks_; }
  // Keys of allocations and placeholder asks that the scheduler released as `why`, each once.
  [[nodiscard]] text_list released(termination why) const;

 private:
  using ask_id = std::tuple<std::string, std::string, std::string>;  // partition, application, key

  void hears_allocated(const decision_view &d);
  void hears_released(const decision_view &d);
  void node_is_accepted(const decision_view &d);
  void note_refusal(const decision_view &d);

  std::map<ask_id, ask_item> asks_;
  std::vector<allocation> running_;
  std::vector<allocation> reported_;  // with nodes that are not accepted yet
  std::vector<open_release> open_;
  std::vector<open_check> checks_, fresh_checks_;
  std::map<termination, std::vector<std::pair<std::tuple<ask_id, uint64_t>, std::string>>> released_;
  text_list accepted_apps_, accepted_nodes_, rejected_nodes_, rejected_asks_;
  text_list refusals_;
  text_map rejected_apps_, app_states_, app_messages_, container_states_;
  uint64_t container_updates_ = 0;
};

}  // namespace tenon::cli
