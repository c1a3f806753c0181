// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The running scheduler: a kernel, the one thread that steps it, RMs that come and go, and the transports between them.
//
//   auto host = host::open_deployment("tenon.yaml");
//   auto service = scheduler::open(std::move(*host), {});
//   if (auto why = (*service)->start()) return fail(why->text());    // transports listen
//   ...
//   (*service)->stop();
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/transport.h"
#include "tenon/events/event_hub.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/running_limits.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/states.hpp"
#include "tenon/service/running_clock.hpp"

namespace tenon::service {

using byte_sink = std::function<void(std::string_view bytes)>;

struct scheduler_options {
  // Nothing moves but by step(), and time only by its argument; answers are delivered before step() returns.
  bool manual = false;
  int64_t manual_start_ms = 0;
  clock_readings clock;  // from any thread; not asked in manual mode
  byte_sink journal;     // what `tenon simulate --replay` plays; on the cycle thread
  byte_sink decisions;   // format() lines; likewise
  // Texts of queues.yaml by policy group, in place of the deployment's files.
  std::map<std::string, std::string> policy_groups;
  std::optional<host::running_limits> limits;  // in place of the deployment's
  kernel_options kernel;
};

// What an RM may keep of something, and what became of it.
struct rm_bound {
  std::string what;  // applications, asks, nodes, bytes
  uint64_t kept = 0, most = 0;
  uint64_t refused = 0;  // requests of its session that would have made it more
  bool reached = false;  // the last of these would be refused still
};

// An ask of which the RM is asked whether it may wait for capacity on a node.
struct asked_reservation {
  std::string partition, application, key, node;  // [rm]name
};

struct rm_status {
  std::string id, version, policy_group, transport;
  std::map<std::string, std::string> build_info;
  rm_state state = rm_state::init;
  bool connected = false, held = false, throttled = false;
  uint64_t session = 0;
  uint64_t waiting_requests = 0;                     // in its mailbox
  uint64_t waiting_answers = 0;                      // in its outbox, not acknowledged
  uint64_t retries = 0;                              // submissions that were told to come again
  uint64_t unconfirmed = 0;                          // releases that it has not confirmed for too long
  uint64_t uuids = 0;                                // of its allocations, known: the scheduler's and its own
  std::vector<asked_reservation> asked;              // and has not answered
  std::vector<rm_bound> bounds;                      // of what it keeps
  std::vector<std::string> partitions;               // [rm]name
  std::shared_ptr<const std::string> configuration;  // the queues.yaml in force for it; never null
  std::string checksum;                              // of it
};

// On the cycle thread, between two commands.
class cycle_access {
 public:
  virtual ~cycle_access() = default;
  [[nodiscard]] virtual kernel &state() = 0;
  [[nodiscard]] virtual int64_t now_ms() const = 0;
  // As a command of an RM: recorded, and its decisions become answers and facts.
  virtual uint32_t apply(const command &c) = 0;
  [[nodiscard]] virtual std::vector<rm_status> rms() const = 0;
  // Partitions of an RM that registered with `recovery.hold` are stepped from now on. False: there is no such RM.
  virtual bool recovery_done(std::string_view rm) = 0;
};

// Decisions as they are made, on the cycle thread, while kernel::drain() hands them over: views and
// kernel::describe() hold until the listener returns. Must not wait.
using decision_listener = std::function<void(std::span<const decision_view> decisions, const kernel &state)>;

// After a turn of the cycle thread, on it: how long it took, and how many decisions it made.
using turn_listener = std::function<void(std::chrono::nanoseconds took, uint32_t made)>;

// From the start; never going back.
struct service_counters {
  uint64_t turns = 0;             // of the cycle thread
  uint64_t requests = 0;          // accepted of RMs
  uint64_t refused_requests = 0;  // malformed
  uint64_t retries = 0;           // submissions that were told to come again
  uint64_t dropped_requests = 0;  // accepted of a session that ended before they were applied
  uint64_t answers = 0;           // made for RMs
  uint64_t delivered = 0;         // taken by transports, those that were delivered again included
  uint64_t registrations = 0, refused_registrations = 0;
  uint64_t transport_faults = 0, transport_restarts = 0;
  uint64_t journal_bytes = 0;
  uint64_t clock_steps = 0;  // times that the system's clock was set; the scheduler's time went on
  kernel_counters kernel;    // of a moment within the last turn
};

struct transport_status {
  std::string module, name;
  bool running = false;
  uint64_t faults = 0, restarts = 0;
  std::string message;  // of the last fault
};

// A configuration that people send in place of a file's. docs/running.md has what becomes of it.
struct people_configuration {
  std::string rm;            // empty: of all of the policy group
  std::string policy_group;  // empty: the RM's, or "default"
  std::string text, by;
  bool only_tried = false;  // nothing is changed: what is answered is what would come of it
};

struct reload_wish {
  std::string policy_group;  // empty: all
  bool forced = false;       // also in place of what people sent, where the files are as they were then
  bool only_tried = false;   // nothing is changed: what is answered is what would come of it
};

struct configured {
  std::optional<refusal> why;      // nothing has changed
  bool is_older = false;           // refused, for people sent another one since the files were written
  uint64_t revision = 0;           // of what is in force now, of the group or RM that was named; 0 where it was tried
  std::string checksum;            // of the same
  std::vector<std::string> notes;  // what was replaced, what is not kept
};

// Another build of a module is to decide.
struct module_swap_wish {
  std::string module;
  host::swap_to build = host::swap_to::installed;
  std::string text;  // who and why, for the journal; may be empty
  // What else must hold of the build that takes over, before it does; empty: nothing.
  std::function<std::optional<refusal>(const host::build_beside &)> check;
};
struct module_swap_outcome {
  host::build_beside build;
  std::chrono::nanoseconds paused{0};  // the scheduler, until what it keeps was to be made anew
};

// A text that is in force.
struct configuration_revision {
  uint64_t number = 0;
  std::string policy_group;
  std::string rm;        // empty: of all of the group
  std::string by;        // who sent it; empty: it is the file's
  std::string source;    // the file, also where people sent another text in its place
  int64_t since_ms = 0;  // Unix
  std::string checksum, text;
  std::string of_file;      // the checksum that the file's text had when this was put in force
  uint64_t instead_of = 0;  // of one that people sent: the file's revision
  bool kept = false;        // of one that people sent: in force after a restart, too
};

// From any thread, unless said otherwise. Nothing is shared between two schedulers of a process.
class scheduler {
 public:
  // Reads the policy groups; refused with the text of `config check`.
  [[nodiscard]] static result<std::unique_ptr<scheduler>> open(std::unique_ptr<host::module_host> host,
                                                               scheduler_options options = {});
  // Stops it.
  ~scheduler();
  scheduler(const scheduler &) = delete;
  scheduler &operator=(const scheduler &) = delete;

  // Before start(). They live as long as the scheduler.
  void listen(decision_listener listener);
  void listen_to_turns(turn_listener listener);
  void listen_to_end(std::function<void()> listener);  // stop() begins, on its thread
  void listen_to_facts(fact_listener *listener);       // the kernel's; one, beside the deployment's event sinks
  // A transport that is linked in rather than loaded; `instance` outlives the scheduler. Named so in rm_status.
  void attach(std::string name, const tenon_transport_v1 *table, tenon_instance *instance);
  // What a linked transport gives to the functions of tenon.host.rm.
  [[nodiscard]] const tenon_host *linked_host();
  [[nodiscard]] static const tenon_host_rm *rm_service();

  // Starts the cycle thread and the transports, or says which of them does not start; then all is stopped again.
  [[nodiscard]] std::optional<refusal> start();
  // Takes no more requests, applies those that it has, lets answers go out, ends sessions and transports. Once.
  void stop();

  // Manual mode. Moves time to `now_ms`, where it is given. Takes what was submitted, fires timers, and makes up to
  // `max_decisions` in each partition, or in that one alone. Gives the number of decisions.
  uint32_t step(uint32_t max_decisions, std::optional<int64_t> now_ms = {}, std::optional<partition_id> only = {});
  [[nodiscard]] bool is_manual() const;

  // Reads the policy groups again and configures all RMs that use them, all or none. The refusal says which place of
  // which file, or which RM's state, is in the way. It may also be that people sent another text, and the file is as
  // it was then.
  [[nodiscard]] configured reload_files(const reload_wish &wish);
  [[nodiscard]] std::optional<refusal> reload() { return reload_files({}).why; }
  // Puts a text in force for a policy group or an RM, which must be there.
  [[nodiscard]] configured configure(const people_configuration &sent);
  [[nodiscard]] std::vector<configuration_revision> revisions() const;  // by policy group, then RM
  // Where a group's text comes from, and what it is there now.
  struct configuration_source {
    std::string place, text;
  };
  [[nodiscard]] result<configuration_source> source_of(const std::string &policy_group) const;
  // As reload(), with these texts, of whoever runs the scheduler; groups that are not given stay. Nothing of it
  // outlives the next reload().
  [[nodiscard]] std::optional<refusal> reload(const std::map<std::string, std::string> &policy_groups);
  [[nodiscard]] std::map<std::string, std::string> policy_groups() const;  // texts in force
  // About those texts: accepted, but hardly meant. Also logged when they are read.
  [[nodiscard]] std::vector<std::string> configuration_warnings() const;

  // Opens the build beside the one in force, and has it decide between two steps. Refused: the one in force goes on.
  [[nodiscard]] result<module_swap_outcome> swap_module(const module_swap_wish &wish);

  // Runs `work` on the cycle thread between two commands, soon; in manual mode here. Dropped after stop().
  void post(std::function<void(cycle_access &)> work);
  // The same, and waits for it. False: `work` did not run, for it stops or a module holds the cycle thread up. Not from
  // the cycle thread.
  bool call(const std::function<void(cycle_access &)> &work);

  // An RM-wide message for an RM that wants events. Dropped where there is none, or too many wait for it.
  void tell(std::string_view rm, const tenon_rm_event &event);

  [[nodiscard]] service_counters counters() const;
  // As they were when somebody asked before, where a module holds the cycle thread up.
  [[nodiscard]] std::vector<rm_status> rms() const;
  [[nodiscard]] std::vector<transport_status> transports() const;
  // Records of events, from start() on; null where the deployment lists no sink for them.
  [[nodiscard]] events::event_hub *events() const;
  [[nodiscard]] const host::running_limits &limits() const;
  // One thread at a time but for its counters(); never while start() or reload() runs.
  [[nodiscard]] host::module_host &modules();

 private:
  struct impl;
  explicit scheduler(std::unique_ptr<impl> state);
  std::unique_ptr<impl> impl_;
};

}  // namespace tenon::service
