// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RM memory: what a resource manager knows of what it sent, and how it says it again to a scheduler that is new.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "load.hpp"

namespace tenon::sim {

class rm_memory {
 public:
  // A command that was played; `seen` is from before it, `refused` by the scheduler.
  void note(const timed_command &c, const kernel_snapshot &seen, bool refused);

  // Registration, then per partition applications, nodes, allocations and pending asks, each in their first order.
  // Allocations come with their nodes or by themselves.
  [[nodiscard]] std::vector<timed_command> all_again(const kernel_snapshot &s, bool with_nodes) const;

 private:
  struct told_ask {
    uint64_t arrival = 0;
    put_ask what;
    std::shared_ptr<testing::arena> own;
  };
  struct told_application {
    add_application what;
    std::shared_ptr<testing::arena> own;
  };
  using ask_name = std::pair<std::string, std::string>;  // application, key

  void note_ask(const put_ask &c, const std::shared_ptr<testing::arena> &own);
  void note_existing(const existing_allocation &e, std::string_view partition, const kernel_snapshot &seen,
                     const std::shared_ptr<testing::arena> &own);
  void tell_nodes(const partition_snapshot &p, bool with_nodes, std::vector<timed_command> &to) const;
  void tell_asks(const partition_snapshot &p, std::vector<timed_command> &to) const;
  [[nodiscard]] existing_allocation as_existing(const partition_snapshot &p, const application_snapshot &app,
                                                const allocation_snapshot &x, testing::arena &own) const;

  std::vector<timed_command> registrations_;
  std::map<std::string, std::map<std::string, told_application>> applications_;  // by partition and id
  std::map<std::string, std::map<ask_name, told_ask>> asks_;                     // by partition
  uint64_t next_arrival_ = 1;
};

}  // namespace tenon::sim
