// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people change in a running scheduler: checked against what they may, done as a command between two decisions,
// and told for the record either way. Behind tenon.host.admin, and behind the daemon's control socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/host_admin.h"
#include "tenon/observe/kernel_access.hpp"
#include "tenon/observe/most_copied.hpp"

namespace tenon::host {
class module_host;
}

namespace tenon::observe {

class snapshot_keeper;

// Who asks.
struct caller {
  std::string user;  // of a token, a certificate, or the owner of a process
  std::vector<std::string> groups;
  std::string origin;  // where the call came from: "rest 10.0.0.7"
  bool all = false;    // may do everything; others what admin ACLs of queues give them

  [[nodiscard]] std::string text() const;  // "olga (rest 10.0.0.7)"
};

struct action {
  uint32_t what = 0;      // TENON_ADMIN_*
  std::string partition;  // "[rm]name"; "name" or nothing where one partition alone can be meant
  std::string object, target, reason;
};

// By its name: "stop queue", "drain node" ...; 0: there is no such action.
[[nodiscard]] uint32_t action_named(std::string_view name);
[[nodiscard]] std::vector<std::string_view> action_names();

struct outcome {
  tenon_status status = TENON_OK;
  std::string message = {};  // of a status that is not OK
  // UNRESOLVABLE for want of a node, queue, application or partition: which of them, and its name.
  std::string missing = {}, name = {};
};

struct configuration_change {
  std::string rm;               // empty: all of the policy group
  std::string policy_group;     // empty: the RM's own; both empty: "default"
  std::string text;             // empty: what the deployment names is read again
  uint64_t extra_settings = 0;  // beside the text, malformed ones: how many
  bool forced = false;          // read again also where people sent another one since
};
struct configuration_outcome {
  outcome how;
  std::optional<refusal> why;  // of a refused text: the message in its parts
  std::string before, checksum;
  uint64_t revision = 0;           // of what is in force now
  std::vector<std::string> notes;  // what was replaced, what is not kept
};

struct saved_outcome {
  // DECLINED: the caller may not; UNSCHEDULABLE: it cannot be saved, or there is too much; RETRY: it was not saved in
  // time.
  tenon_status status = TENON_OK;
  refusal why;
  std::string journal;  // one that begins with the state, and has nothing behind it (docs/journal.md)
  int64_t time_ms = 0;  // of the state
};

// From any thread but the cycle thread.
class administration {
 public:
  // What has more than `most_objects` is not saved.
  administration(kernel_access &to, const host::module_host &modules, snapshot_keeper &keeper,
                 uint64_t most_objects = most_copied)
      : to_(to), modules_(modules), keeper_(keeper), most_objects_(most_objects) {}

  // Puts the partition's full name into `what`.
  outcome act(const caller &who, action &what);
  // Lets a module be loaded again that is in quarantine.
  outcome lift_quarantine(const caller &who, const std::string &module, const std::string &reason);
  // Has another build of a module decide.
  result<module_swapped> swap_module(const caller &who, const module_swap &wish);
  configuration_outcome configure(const caller &who, const configuration_change &what);
  // Says whether it would be taken, and changes nothing; any caller.
  configuration_outcome validate(const configuration_change &what);
  // Makes up to `most` decisions (0: 1) in the partition, or in each of them; UNSCHEDULABLE where the scheduler runs by
  // itself.
  outcome step(const caller &who, const std::string &partition, uint32_t most, uint64_t &decisions);
  // All of the state, for those who may reload all configurations. It is gathered in a turn of the scheduler, which is
  // paid for from the time that readers have, and made bytes of on this thread. Refused where these are too many.
  saved_outcome save(const caller &who, std::chrono::milliseconds within, uint64_t most_bytes);

 private:
  outcome done(const caller &who, action &what);
  outcome act_in_kernel(const caller &who, action &what);
  outcome may_configure(const caller &who, const configuration_change &what);
  saved_outcome saved(const caller &who, std::chrono::milliseconds within, uint64_t most_bytes);
  void record(const caller &who, std::string_view did, const action &what, const outcome &how,
              const std::vector<std::string> &notes = {});

  kernel_access &to_;
  const host::module_host &modules_;
  snapshot_keeper &keeper_;
  const uint64_t most_objects_;
};

}  // namespace tenon::observe
