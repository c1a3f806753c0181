// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the services for people need of whoever runs a kernel: a way to its thread, and what only it knows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/host/swap_to.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/health_check.hpp"

namespace tenon::observe {

// What an RM may keep of something: applications, asks, nodes, bytes.
struct rm_bound_record {
  std::string what;
  uint64_t kept = 0, most = 0;
  uint64_t refused = 0;  // requests of its session that would have made it more
};

// An ask of which the RM is asked whether it may wait for capacity on a node.
struct asked_reservation_record {
  std::string partition, application, key, node;  // [rm]name
};

struct rm_record {
  std::string id, state, version, policy_group;
  std::string configuration, checksum;  // queues.yaml in force
  std::map<std::string, std::string> build, extra;
  int64_t registered_ms = 0;
  int64_t since_ms = 0;  // connected or not, as far as somebody looked
  bool connected = true, held = false, throttled = false;
  uint64_t waiting_requests = 0, waiting_answers = 0, retries = 0;
  std::vector<rm_bound_record> bounds;
  std::vector<asked_reservation_record> asked;
};

struct policy_group_record {
  std::string name, configuration, checksum;  // queues.yaml in force, whether an RM uses it or not
};

// A number with a name, beside those that are made of the kernel.
struct figure {
  std::string name, help;
  bool counter = true;
  std::map<std::string, std::string> labels;
  double value = 0;
};

// How a configuration was refused, or not; the text is that of `config check`.
struct configured {
  // in_the_way: people sent another one since.
  enum class outcome : uint8_t { done, refused, unknown, stopping, in_the_way } what = outcome::done;
  std::string message = {};
  std::optional<refusal> why = {};      // refused: the same in its parts
  uint64_t revision = 0;                // of what is in force now; 0 where it was tried
  std::string checksum = {};            // of the same
  std::vector<std::string> notes = {};  // what was replaced, what is not kept
};

// What somebody wants to be in force.
struct configuration_wish {
  std::string rm;            // empty: all of the policy group
  std::string policy_group;  // empty: the RM's own; both empty: "default", or all where files are read again
  std::string text;          // empty: the file of the group is read again
  std::string by;
  bool forced = false;      // read again also where people sent another one since
  bool only_tried = false;  // nothing is changed: what is answered is what would come of it
};

// What health has to know of an RM.
struct rm_standing {
  std::string id;
  bool connected = true, held = false, throttled = false;
  std::string beyond;        // the bound for which its requests are refused, as "2000000 asks"; empty: there is none
  uint64_t unconfirmed = 0;  // releases that it has not confirmed for timeouts.releaseconfirm
};

// Why nothing at all is placed for an RM, a line; empty where nothing holds it up.
[[nodiscard]] std::string held_up(std::string_view rm, bool held, bool throttled);

// Another build of a module is to decide.
struct module_swap {
  std::string module;
  host::swap_to build = host::swap_to::installed;
  bool verify = false;  // once it passes the conformance checks
  std::string reason;
};
struct module_swapped {
  std::string module, version, digest, before;
  int64_t paused_us = 0;  // the scheduler
};

// Who did what to which object, and how it ended.
struct audited {
  std::string caller, action, object, partition, message;
  bool done = false;
};

// One thread at a time calls the kernel: whoever implements this. From any thread but that one, unless said otherwise.
class kernel_access {
 public:
  // In call(): what a change goes through, so that it is recorded and its decisions are told.
  using applier = std::function<void(const command &)>;

  virtual ~kernel_access() = default;

  // Runs `work` between two commands and waits for it. False: it did not run, for the scheduler stops or a module holds
  // its thread up.
  virtual bool call(const std::function<void(kernel &, const applier &)> &work) = 0;

  [[nodiscard]] virtual std::vector<rm_record> rms() const = 0;
  [[nodiscard]] virtual std::vector<policy_group_record> policy_groups() const = 0;  // by name

  // The queues.yaml in force for an RM, or else a policy group; both empty: the group `default`.
  [[nodiscard]] virtual std::string configuration(std::string_view rm, std::string_view group) const = 0;
  // Refused also where there is no such RM or group, or the RM is of another group.
  virtual configured configure(const configuration_wish &wish) = 0;
  // False: no such RM holds.
  virtual bool recovery_done(std::string_view rm) = 0;
  // Nothing moves but by steps.
  [[nodiscard]] virtual bool is_manual() const = 0;
  // Where it is manual. The number of decisions, of that partition alone or of all.
  virtual uint64_t step(std::optional<partition_id> only, uint32_t most) = 0;
  // False: no such level.
  virtual bool log_level(std::string_view level) = 0;
  // Lets a module be loaded again that is in quarantine. Why not, if so.
  virtual std::optional<std::string> lift_quarantine(std::string_view module) = 0;
  // `by`: who and why, in one line.
  virtual result<module_swapped> swap_module(const module_swap & /*wish*/, const std::string & /*by*/) {
    return refusal{"module", "a scheduler of a daemon", "another", "restart it with the build that is to decide"};
  }
  // For the record: who did what, and how it ended.
  virtual void audit(const audited &what) = 0;

  // What else is counted, as of now.
  [[nodiscard]] virtual std::vector<figure> figures() const = 0;
  // What the shadow of its deployment found, as JSON; empty: there is none.
  [[nodiscard]] virtual std::string world_shadow() const { return {}; }

  // Neither waits for the kernel's thread.
  // Tells `told`, on the kernel's thread and soon, which RMs there are. Never, where the scheduler stops.
  virtual void ask_for_rms(std::function<void(std::vector<rm_standing>)> told) = 0;
  // What of the scheduler's surroundings is well or not: transports, event sinks.
  [[nodiscard]] virtual std::vector<health_check> checks() const = 0;
};

}  // namespace tenon::observe
