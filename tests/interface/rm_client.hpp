// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An RM as a test sees it, whatever carries its messages. The interface suite is written against this alone.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::interface {

// An answer of any type, copied; members that its type does not have are empty.
struct heard {
  uint32_t type = 0;  // TENON_RM_*
  std::string partition, application, key, uuid, node, queue, task_group, words, state, preemptor;
  std::map<std::string, int64_t> resources;
  std::map<std::string, std::string> tags;
  int32_t priority = 0;
  uint64_t number = 0;  // termination, scheduling state, success; of a check, its own
  bool placeholder = false, recovered = false;
  bool allocate = false;  // of a check, and what follows
  std::string placeholder_key, placeholder_uuid;
};
[[nodiscard]] heard copy_of(const tenon_rm_message &answer);
// One line, for comparison and for failing tests.
[[nodiscard]] std::string text_of(const heard &answer);

// What happened to a registration or a batch.
struct outcome {
  bool good = true;
  tenon_status status = TENON_OK;  // of a transport with other codes: the nearest
  std::string words;
  uint64_t accepted = 0;
};

struct registration_request {
  std::string rm = "rm-1", version = "test", policy_group, config;
  std::map<std::string, std::string> extra_config;
  // The RM checks placements: may this ask run on this node? Nothing: it does not say, where the way lets it.
  std::function<std::optional<bool>(const heard &check)> may_run;
};

class rm_client {
 public:
  virtual ~rm_client() = default;
  virtual outcome enter(const registration_request &request) = 0;
  // In order. Where the transport has several streams, those that the messages belong to.
  virtual outcome submit(std::span<const tenon_rm_message *const> messages) = 0;
  // The next answer, in the order in which its partition's are numbered; nothing after the time is up.
  virtual std::optional<heard> next(std::chrono::milliseconds within) = 0;
  // Cuts the connection; opens it again without registering; says goodbye.
  virtual void cut() = 0;
  virtual outcome come_back() = 0;
  virtual void leave() = 0;
};

// A way to the scheduler: what the suite is instantiated with.
struct way_in {
  std::string name;  // "inproc", "grpc-uds-first"
  bool first_dialect = false;
  // What this way cannot do, each with its reason: a test that needs it is skipped, and says so.
  std::map<std::string, std::string> blanks;
};

// A running scheduler with one transport. `queues` is the text of policy group default.
class world {
 public:
  virtual ~world() = default;
  virtual std::unique_ptr<rm_client> client() = 0;
  // Makes everything that was submitted happen; in manual mode a step, else waits until nothing more comes.
  virtual void settle() = 0;
};
using world_maker = std::function<std::unique_ptr<world>(const std::string &queues, bool manual)>;

}  // namespace tenon::interface
