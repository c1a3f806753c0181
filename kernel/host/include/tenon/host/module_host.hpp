// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Loads the modules of a deployment and binds their policies for a kernel.
//
//   auto host = open_deployment("tenon.yaml");       // or {}: the built-in default
//   if (!host) return fail(host.why().text());
//   tenon::kernel kernel(**host);
//   role_guard cycle(thread_role::cycle);            // while this thread applies commands
//   kernel.apply(now_ms, command);
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/bound_policies.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/call_shadow.hpp"
#include "tenon/host/deployment.hpp"
#include "tenon/host/io_module.hpp"
#include "tenon/host/long_call.hpp"
#include "tenon/host/module_catalog.hpp"
#include "tenon/host/module_watch.hpp"
#include "tenon/host/offered_service.hpp"
#include "tenon/host/swap_to.hpp"
#include "tenon/kernel/policies.hpp"

namespace spdlog {
class logger;
}

namespace tenon::host {

struct host_options {
  // Searched besides the deployment's own module_path.
  std::vector<std::filesystem::path> module_path;
  // Folder of the built-in modules. Empty: ../lib/tenon/modules as seen from the executable.
  std::filesystem::path built_in_modules;
  // Opens each library in a child process first. The program stands beside the executable unless named here.
  bool preflight = true;
  std::filesystem::path preflight_program;
  std::chrono::milliseconds preflight_timeout{10'000};
  // Holds modules whose isolation is process. Beside the executable unless named here.
  std::filesystem::path module_runner;
  // Private copies of libraries and remembered preflights. Empty with `use_cache`: $XDG_CACHE_HOME/tenon.
  bool use_cache = true;
  std::filesystem::path cache_directory;
  // Whether policies get the shadows that the deployment gives them. Replays ignore them.
  bool shadows = true;
  // Budgets depend on the machine: off for simulate, scenario and replay.
  bool budgets = true;
  // On which threads slots are called. On in debug builds.
#ifdef NDEBUG
  bool check_calls = false;
#else
  bool check_calls = true;
#endif
  // Where module_fault_record.hpp keeps records: modules that ended the process lately are in quarantine. Empty: none
  // is.
  std::filesystem::path fault_records;
  // Where a call is kept in which a module's own process was lost; made where it is missing. Empty: nowhere.
  std::filesystem::path call_records;
  // A thread that says which calls do not return, and tells those that last longer than the deployment's `containment`
  // lets them.
  bool watch_calls = false;
  std::function<void(const long_call &)> on_hang;
  std::shared_ptr<spdlog::logger> log;  // null: standard error
  fault_handler on_fault;               // after the fault is logged and counted; on the thread of the call
  violation_handler on_violation;       // null: says so on standard error and aborts
};

// Another build of a module that is open, and may take over.
struct build_beside {
  std::string module, version, digest;
  std::string before;  // digest of the one in force
  std::filesystem::path manifest;
  std::vector<std::pair<module_kind, std::string>> policies;  // that either of the two provides
  int64_t since_ns = 0;                                       // steady clock: faults before then are settled by it
  std::shared_ptr<void> standing_by = {};  // processes that wait to be bound; they end with it unless they were
};

// What is wrong with what a module brings about.
struct module_finding {
  std::string module;
  std::string text;  // "let none of the last 12000 nodes pass that it was asked about, for 340 s"
};

// One module as this host sees it.
struct module_status {
  std::string id, version, description;
  std::filesystem::path manifest;
  std::vector<provided_interface> provides;
  bool built_in = false;
  bool listed = false;  // in the deployment
  bool loaded = false;
  module_counters counters;
  std::string digest = {};  // of the build in force
  std::string before = {};  // of the one that it took over from while this runs, to which one can go back
  uint64_t swaps = 0;       // how often another build took over
};

// One thread at a time, unless said otherwise. Nothing is shared between two hosts of a process but the mapping of
// a library that both opened. Outlives every kernel and every policy that it bound.
class module_host : public policy_source {
 public:
  ~module_host() override;
  module_host(const module_host &) = delete;
  module_host &operator=(const module_host &) = delete;

  // From any thread, as fallback().
  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override;
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override;
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override;

  // From that build on, which was opened beside or lies on the module path; of one that is not to be had the log says
  // that the one in force goes on. Where bind() may be called.
  void use_build(std::string_view module, std::string_view digest) override;

  // -- Builds that take over from others. From any thread; one at a time. --

  // Opens the build that lies on the module path now, through all steps of loading, beside the one in force, which goes
  // on. Refused where it is the same, cannot take over while the scheduler runs, or is not what the deployment says.
  [[nodiscard]] result<build_beside> open_beside(std::string_view module);
  // The build from which the one in force took over.
  [[nodiscard]] result<build_beside> build_before(std::string_view module) const;
  // The build in force, to bind its policies anew after faults. A module in quarantine leaves that first, and is
  // loaded. Processes for its policies are started, and waited for; refused if one does not start. Not from the cycle
  // thread.
  [[nodiscard]] result<build_beside> build_again(std::string_view module);
  // Returns the modules that are to decide again at `now`, by build_again(): an order of the module failed, or its time
  // in quarantine is over. Each module is returned at most once in containment.retry. One thread at a time.
  [[nodiscard]] std::vector<std::string> due_again(std::chrono::steady_clock::time_point now);
  // It decides from now on. Both are kept beside the records of faults.
  void took_over(const build_beside &build);

  // The entries of `events`, in order; instances are for whoever runs them.
  [[nodiscard]] result<std::vector<listed_module>> event_sinks();

  // The entries of `transports`, in order; likewise.
  [[nodiscard]] result<std::vector<listed_module>> transports();

  // A host for code that is linked in rather than loaded, with these services. Lives as long as this.
  [[nodiscard]] const tenon_host *linked_host(std::string name, std::vector<std::string> services);
  // A line in the host's log. From any thread.
  void warn(std::string_view line) const;
  void note(std::string_view line) const;

  // Gives modules a service, from their instances' init on. From any thread.
  void offer(const offered_service &service);

  // -- What decides (journal_modules.cpp). --

  // What the header of a journal says of its writer: the program's version, and a lock of the modules that decide.
  [[nodiscard]] std::string journal_origin() const;
  // Compares the policies that decided a journal with the ones that would decide now. `bound` are the policies that
  // the journal's configurations bind. Gives a warning for each that differs; none for a journal whose header names no
  // modules.
  [[nodiscard]] std::vector<refusal> other_policies(std::string_view journal,
                                                    const std::vector<config::policy_name> &bound) const;

  // Checks the modules of all policies that the configuration binds against the deployment's lock. Gives the first
  // refusal. From any thread.
  [[nodiscard]] std::optional<refusal> refusal_by_lock(const cluster_config &queues) const;

  // What a queues.yaml of this deployment may name.
  [[nodiscard]] config::known_policies known() const;
  [[nodiscard]] const deployment &plan() const;
  [[nodiscard]] const module_catalog &catalog() const;
  // From any thread: which there are does not change.
  [[nodiscard]] std::vector<module_status> modules() const;
  // Of the loaded modules. From any thread.
  [[nodiscard]] std::vector<module_counters> counters() const;
  // Of each module what it does though none of its calls is a fault: a predicate that lets nothing pass. From any
  // thread.
  [[nodiscard]] std::vector<module_finding> findings() const;
  // Of the shadows of policies that were bound so far. From any thread.
  [[nodiscard]] std::vector<call_shadow_status> shadows() const;
  // Calls that do not return, where they are watched; and whether one is on a thread with role cycle. From any thread,
  // which waits for none of them.
  [[nodiscard]] std::vector<long_call> long_calls() const;
  [[nodiscard]] bool holds_up_cycle() const;
  // Lets a module be loaded again, when it is next asked for. Why not, if so. From any thread.
  [[nodiscard]] std::optional<std::string> lift_quarantine(std::string_view id);
  // The scheduler stops: from now on a call of any module, on any thread, is told that lasts longer. Where calls are
  // watched. Nobody waits any longer for processes that build_again() has started.
  void limit_last_calls(std::chrono::milliseconds most);

 private:
  struct impl;
  explicit module_host(std::unique_ptr<impl> state);
  friend result<std::unique_ptr<module_host>> open_host(deployment plan, host_options options);

  std::unique_ptr<impl> impl_;
};

// Reads the deployment file (empty: the built-in default), finds its modules, and loads those that it names. Others
// are loaded when a configuration first asks for one of their policies. The first refusal is given, with the number
// of further ones in the file.
[[nodiscard]] result<std::unique_ptr<module_host>> open_deployment(const std::filesystem::path &file = {},
                                                                   host_options options = {});

// The same for a deployment that was read or made already.
[[nodiscard]] result<std::unique_ptr<module_host>> open_host(deployment plan, host_options options = {});

}  // namespace tenon::host
