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

#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::observe {

struct rm_record {
  std::string id, state, version, policy_group;
  std::string configuration, checksum;  // queues.yaml in force
  std::map<std::string, std::string> build, extra;
  int64_t registered_ms = 0;
  bool connected = true;
  uint64_t waiting_requests = 0, waiting_answers = 0, retries = 0;
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
  enum class outcome : uint8_t { done, refused, unknown, stopping } what = outcome::done;
  std::string words;
};

// Who did what to which object, and how it ended.
struct audited {
  std::string caller, action, object, partition, words;
  bool done = false;
};

// One thread at a time calls the kernel: whoever implements this. From any thread but that one, unless said otherwise.
class door {
 public:
  // In call(): what a change goes through, so that it is recorded and its decisions are told.
  using applier = std::function<void(const command &)>;

  virtual ~door() = default;

  // Runs `work` between two commands and waits for it. False: it did not run, the scheduler stops.
  virtual bool call(const std::function<void(kernel &, const applier &)> &work) = 0;

  [[nodiscard]] virtual std::vector<rm_record> rms() const = 0;
  [[nodiscard]] virtual std::vector<policy_group_record> policy_groups() const = 0;  // by name

  // The queues.yaml in force for an RM, or else a policy group; both empty: the group `default`.
  [[nodiscard]] virtual std::string configuration(std::string_view rm, std::string_view group) const = 0;
  // Whether there are such an RM and such a group, and the RM is of that group; an empty name is no question.
  [[nodiscard]] virtual configured look_for(std::string_view rm, std::string_view group) const = 0;
  // Empty text: the file of the group is read again, of all groups where none is named. Empty `rm`: all that use the
  // group.
  virtual configured configure(std::string_view rm, std::string_view group, std::string_view text) = 0;
  // The checksum of a configuration that would be taken, or why it would not. Empty text: the group's file as it is
  // now.
  virtual result<std::string> check(std::string_view rm, std::string_view group, std::string_view text) = 0;
  // False: no such RM holds.
  virtual bool recovery_done(std::string_view rm) = 0;
  // Decisions made; nothing where the scheduler runs by itself.
  virtual std::optional<uint64_t> step(std::string_view partition, uint32_t most) = 0;
  // False: no such level.
  virtual bool log_level(std::string_view level) = 0;
  // For the record: who did what, and how it ended.
  virtual void audit(const audited &what) = 0;

  // What else is counted, and what else is not well, in words; both as of now.
  [[nodiscard]] virtual std::vector<figure> figures() const = 0;
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;
};

}  // namespace tenon::observe
