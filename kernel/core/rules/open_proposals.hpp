// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Open proposals: placements that the resource manager has not answered yet, by number, and until when it may.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

struct open_proposals_access {
  partition_clock clock;
  const int64_t check_deadline_ms;  // 0: the resource manager does not check placements
};

class open_proposals : open_proposals_access {
 public:
  explicit open_proposals(const open_proposals_access &all) : open_proposals_access(all) {}

  [[nodiscard]] bool are_made() const { return check_deadline_ms > 0; }
  [[nodiscard]] size_t count() const { return open_.size(); }
  [[nodiscard]] const proposal *find(uint64_t number) const;  // null: it is none
  [[nodiscard]] application &owner_of(uint64_t number) const { return *open_.at(number).owner; }
  void add(uint64_t number, application &owner) { open_.emplace(number, open_proposal{&owner}); }
  void remove(uint64_t number) { open_.erase(number); }

  // -- Deadlines: from the delivery of the check. --
  void obey(const checks_delivered &c);
  void stop_deadlines();  // nobody is there who could answer
  void restart_deadlines();
  [[nodiscard]] bool is_void(const timer &t) const;

  // -- Of a copy of the partition, where the same are open. --
  [[nodiscard]] const open_proposal &at(uint64_t number) const { return open_.at(number); }
  [[nodiscard]] uint64_t delivered_to() const { return delivered_to_; }
  void follow(uint64_t number, uint32_t armed, bool has_deadline);
  void follow(const open_proposals &other);
  void deliver_to(uint64_t number) { delivered_to_ = number; }

 private:
  void arm_deadline(uint64_t number, open_proposal &p);

  std::map<uint64_t, open_proposal> open_;
  uint64_t delivered_to_ = 0;  // number of the last one that the resource manager was given
};

}  // namespace tenon::internal
