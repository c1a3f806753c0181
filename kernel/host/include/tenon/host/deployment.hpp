// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The deployment file (tenon.yaml, apiVersion tenon/v1): which modules are used, and how.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/shape.hpp"
#include "tenon/host/call_shadow.hpp"
#include "tenon/host/module_configuration.hpp"
#include "tenon/host/module_lock.hpp"
#include "tenon/host/running_limits.hpp"

namespace tenon::host {

// What happens after a module's fault. `fallback`: the host's own copy of fair or fifo takes the place of an order, and
// a predicate holds back all asks. `stop` also ends the scheduler. The others are for predicates alone: `closed` holds
// back all asks, `only` those with a tag that the predicate reads, `open` none.
enum class fault_action : uint8_t { fallback, stop, open, only, closed };
[[nodiscard]] std::string_view action_name(fault_action action);
// Returns true if a module without a predicate cannot have this action.
[[nodiscard]] constexpr bool is_of_predicates(fault_action action) {
  return action != fault_action::fallback && action != fault_action::stop;
}

// How long a call may take. A module is at fault after `overruns` measured calls in a row that took longer.
struct call_budget {
  uint64_t call_us = 0;  // 0: not measured
  uint64_t overruns = 3;
};

// Where a module lives: in the host's process, or in processes of its own that cannot harm it.
enum class isolation_mode : uint8_t { none, process };

// Of each process of a module.
struct process_limits {
  std::chrono::milliseconds order_deadline{50};      // a call of an order that is not answered by then is a fault
  std::chrono::milliseconds call_deadline{200};      // the same for predicates and placement rules
  std::chrono::milliseconds processor_wait{1'000};   // beyond these, while the process waits for a processor
  std::chrono::milliseconds io_deadline{60'000};     // of identities and event sinks, which may wait
  std::chrono::milliseconds start_deadline{10'000};  // the same for opening it and making an instance
  uint64_t memory = uint64_t{1} << 30;               // bytes of its own
  uint64_t descriptors = 16;

  // Sets the deadline of orders, predicates and placement rules.
  void answer_within(std::chrono::milliseconds time) { order_deadline = call_deadline = time; }
  // Returns how long an instance may take to leave.
  [[nodiscard]] std::chrono::milliseconds end_deadline() const {
    return std::max(std::chrono::milliseconds(1'000), call_deadline);
  }
};

// What a module in processes of its own may do besides: no more than its manifest asks for.
struct granted_permissions {
  std::vector<std::filesystem::path> read, write;  // files, and all that is in folders
  bool network = false;                            // connections and datagrams to others
  bool threads = false;

  [[nodiscard]] bool has(std::string_view permission) const;
};

struct module_use {
  std::string id;
  std::optional<std::string> digest;  // 64 hexadecimal digits that the library must have
  fault_action on_fault = fault_action::fallback;
  call_budget budget;
  std::optional<isolation_mode> isolation;  // nothing: as isolation::lane_of() has it
  process_limits process;                   // where isolation is process
  granted_permissions granted;
  configuration config;                   // for every instance of the module
  std::optional<call_shadow_use> shadow;  // of every instance of its policies
  config::text_position at;               // of the id
};

// The first four are of modules in the scheduler's process alone.
struct containment_limits {
  std::chrono::milliseconds hang{1'000}, io_hang{60'000};  // of a call while the scheduler runs; 0: none
  std::chrono::milliseconds stop{10'000};                  // of a call while it stops, beyond rm.drain
  std::filesystem::path records;                           // folder; empty: the default
  uint64_t refusals = 10'000;                              // of a predicate in a row that are a finding; 0: none are
  std::chrono::milliseconds retry{5'000};                  // until a module that failed decides again; 0: it does not
  std::chrono::milliseconds outcome{60'000};               // what holds work up for so long is a finding; 0: nothing is
  bool outcome_is_fault = false;                           // of an order that lets nothing go
};

// An entry of predicates, events or transports.
struct interface_use {
  std::string use;   // module id
  std::string name;  // of one of its implementations; empty: the module has only one
  configuration config;
  config::text_position at;  // of `use`
};

// Another configuration, other policies or a whole deployment that decides beside the scheduler, in a process of its
// own, and is compared with it.
struct world_shadow_use {
  std::filesystem::path deployment;                            // its modules; empty: this one
  std::map<std::string, std::filesystem::path> policy_groups;  // of those that are not here as in force
  std::string node_sort;                                       // empty: as configured
  uint64_t every = 1'000;                                      // decisions between two that are compared
  uint64_t restarts = 5;
  uint64_t most_behind = uint64_t{64} << 20;  // bytes of the journal; beyond them nothing is compared
  std::chrono::milliseconds hang{60'000};     // it is killed where it says nothing for so long
};

struct deployment {
  std::string file;  // empty: the built-in default
  std::vector<std::filesystem::path> module_path;
  std::vector<module_use> modules;
  containment_limits containment;
  bool require_sandbox = false;                                // of modules in processes of their own
  std::map<std::string, std::filesystem::path> policy_groups;  // group -> queues.yaml
  std::vector<interface_use> predicates, events, transports;
  running_limits running;                     // of a scheduler that serves RMs
  std::filesystem::path control_socket;       // of the daemon; empty: the default
  std::filesystem::path configuration_store;  // folder of configurations that people sent; empty: kept in memory
  std::filesystem::path audit_file;           // of what people did; empty: the default
  std::optional<world_shadow_use> shadow;
  std::optional<module_lock> lock;  // nothing: any build of its modules will do

  [[nodiscard]] const module_use *find(std::string_view id) const;
};

// The format, for its reference page and schema.
[[nodiscard]] const config::object_spec &deployment_spec();

// Nothing, with reasons in `report`, unless keys, types, ids and names are sound, no id is twice, and the
// files of policy_groups and the folders of module_path are there. Relative paths start at the file's folder.
[[nodiscard]] std::optional<deployment> parse_deployment(std::string_view text, const std::filesystem::path &file,
                                                         config::problems &report);
// With its lock, where there is one beside it.
[[nodiscard]] std::optional<deployment> read_deployment(const std::filesystem::path &file, config::problems &report);

// Without a file: every module on the path, and the node attributes predicate where it is installed.
[[nodiscard]] deployment default_deployment();

// That of the file, or the default one where the name is empty. The first refusal is given, with the number of further
// ones in the file.
[[nodiscard]] result<deployment> deployment_of(const std::filesystem::path &file);

// In place of what the deployment says of these keys: for all instances of the module, entries of predicates, events
// and transports among them.
void configure_module(deployment &plan, const std::string &id, const boost::json::object &values);

}  // namespace tenon::host
