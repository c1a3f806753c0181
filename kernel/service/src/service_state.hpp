// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the threads of one scheduler share.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "request_batch.hpp"
#include "rm_session.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/events/event_hub.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/running_limits.hpp"

namespace tenon::service {

struct shared_counters {
  std::atomic<uint64_t> turns{0}, requests{0}, refused_requests{0}, retries{0}, dropped_requests{0}, answers{0},
      delivered{0}, registrations{0}, refused_registrations{0}, journal_bytes{0}, clock_steps{0};
};

// A text in force, of a policy group or of one RM, and what it means.
struct group_config {
  std::string text;
  std::shared_ptr<const cluster_config> config;
  std::string file;  // for messages
  std::vector<std::string> warnings;
  bool has_content = true;
  uint64_t revision = 0;  // 0: an RM's own
  int64_t since_ms = 0;   // Unix
  // Of one that people sent: by whom, and in place of which text of the file, by its checksum and revision.
  std::string by;
  std::string instead_of;
  uint64_t instead_of_revision = 0;
  std::string policy_group;  // of one that people sent for one RM: whose place it takes

  [[nodiscard]] bool is_of_one_rm() const { return !policy_group.empty(); }
};

struct service_state {
  host::running_limits limits;
  uint32_t max_queue_depth = 32;
  config::known_policies known;
  const host::module_host *modules = nullptr;
  pool<request_batch> request_batches{256};
  chunk_pool chunks{256};
  session_table sessions;
  shared_counters counters;
  std::atomic<bool> closing{false};
  std::function<void()> wake;                                      // the cycle thread has something to do
  std::function<void(const std::string &line)> warn;               // the log
  std::function<void(const std::string &line)> note;               // the same, of what is as it should be
  std::function<void(const events::audit_note &what)> note_event;  // a warning that is an event, too

  // Any thread. Refused with the text of `config check`, and where the deployment's lock refuses a module that it
  // binds.
  [[nodiscard]] result<group_config> read(std::string_view text, std::string_view file) const;
  void warn_of(const group_config &read) const;
  [[nodiscard]] result<group_config> group(std::string_view name) const;  // empty: default
  [[nodiscard]] std::map<std::string, group_config> groups() const;
  void set_groups(std::map<std::string, group_config> groups);
  // What people sent for single RMs, by RM.
  [[nodiscard]] std::map<std::string, group_config> of_rms() const;
  void set_of_rm(const std::string &rm, group_config config);
  bool drop_of_rm(const std::string &rm);  // false: there is none

 private:
  mutable std::mutex groups_mutex_;
  std::map<std::string, group_config> groups_, of_rms_;
};

}  // namespace tenon::service
