// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Requests of one RM on their way to the cycle thread: commands whose texts live in the batch.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arena.hpp"
#include "tenon/host/identity_resolver.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::service {

// A user whose groups are looked up before the application goes on.
struct pending_identity {
  std::atomic<bool> known{false};
  host::group_answer answer;
};

// A configuration that an RM sends for itself.
struct sent_configuration {
  std::string text;
  std::shared_ptr<const cluster_config> config;  // null: refused in `reason`
  std::string reason;
  uint64_t ignored = 0;  // settings beside it
};

struct request {
  command what;
  std::string_view uuid;                    // of a release: which allocation
  std::span<const std::string_view> uuids;  // of existing allocations, in their order
  bool names_partition = false;             // else it is about the RM's only one, where it has one
  bool wants_groups = false;                // of an application
  bool forced = false;                      // likewise: application.create.force
  bool as_allocation = false;               // of an ask: it was sent as an allocation without node
  bool recovery_report = false;             // no command: how far the RM's recovery is,
  bool recovery_done = false;               // and that it is over
  bool in_parts = false;                    // some of what it releases is released already
  uint32_t attachment = 0;                  // from 1: of request_batch::identities or request_batch::configurations
};

struct request_batch {
  arena memory;
  std::vector<request> requests;
  std::vector<std::shared_ptr<pending_identity>> identities;
  std::vector<sent_configuration> configurations;
  size_t next = 0;     // the first that is not applied yet
  uint64_t bytes = 0;  // that the requests hold: themselves, lists and texts

  void reset() {
    memory.reset();
    requests.clear();
    identities.clear();
    configurations.clear();
    next = 0;
    bytes = 0;
  }
  [[nodiscard]] size_t held() const { return memory.held() + requests.capacity() * sizeof(request); }
};

}  // namespace tenon::service
