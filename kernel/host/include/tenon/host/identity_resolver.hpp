// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Groups of users, found out before a command enters the journal, so that no decision depends on a user database.
//
//   auto source = bind_identity(host, partition.user_group_resolver);
//   identity_resolver users(std::move(*source));
//   users.resolve({user, groups, forced}, [=](const group_answer &answer) { submit_or_refuse(answer); });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/policies.hpp"

namespace tenon::host {

struct group_answer {
  std::vector<std::string> groups;
  std::string problem;  // not empty: the application is to be refused, in these words
};

// What an application says of who submits it.
struct group_request {
  std::string_view user;
  std::span<const std::string_view> groups;
  bool forced = false;  // tag application.create.force: a user that is not found is in group nogroup
};

struct resolver_options {
  int64_t keep_found_ms = 300'000;
  int64_t keep_failed_ms = 30'000;
  size_t max_users = 100'000;   // kept; beyond it those whose time ends first are forgotten
  size_t max_waiting = 10'000;  // requests; beyond it they are refused at once
  // Milliseconds from any start, never going back. Empty: the steady clock. From any thread.
  std::function<int64_t()> clock_ms = {};
};

struct resolver_counters {
  uint64_t lookups = 0;   // of the source
  uint64_t failures = 0;  // of those
  uint64_t hits = 0;      // requests that needed no lookup of their own
  uint64_t refused = 0;   // too many were waiting
};

// From any thread. Has a thread of its own, with role io, for the source.
class identity_resolver {
 public:
  using answer_handler = std::function<void(const group_answer &)>;

  // `source` was bound as module_kind::identity.
  explicit identity_resolver(std::unique_ptr<bound_policy> source, resolver_options options = {});
  // Waits for a lookup that is under way; requests that still wait are answered with a problem. Not from `done`.
  ~identity_resolver();
  identity_resolver(const identity_resolver &) = delete;
  identity_resolver &operator=(const identity_resolver &) = delete;

  // Calls `done` once: here where the answer is known, else on the resolver's thread. Groups of the request are
  // used as they are. Without groups the user is looked up, unless that was done a short while ago. An empty or
  // invalid user is not looked up, and has no groups: the kernel refuses it. Never waits for the source. `done`
  // throws nothing and does not wait.
  void resolve(const group_request &request, answer_handler done);

  [[nodiscard]] resolver_counters counters() const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

// The source that usergroupresolver.type names. Empty is none: then the only group of a user has its name. Refused
// where nobody provides it.
[[nodiscard]] result<std::unique_ptr<bound_policy>> bind_identity(policy_source &from, std::string_view resolver_type);

}  // namespace tenon::host
