// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a kernel consists of: its resource managers, their partitions, and what those share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core.hpp"
#include "ledger/ledger.hpp"
#include "partition.hpp"
#include "partition_list.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon {

struct kernel::impl {
  impl(policy_source &policies, kernel_options options) : shared(policies, options) {}

  internal::core shared;
  internal::partition_list partitions;
  std::vector<std::unique_ptr<internal::partition>> gone;  // until the next drain: decisions name them
  struct manager {
    internal::owned_state<rm_state, manager> state;
    int64_t check_deadline_ms = 0;
    uint64_t epoch = 0;
    std::map<std::string, internal::administrators_stops> stops;  // by plain name, of partitions that are not there
  };
  std::map<std::string, manager, std::less<>> rms;
  uint32_t partitions_made = 0;
  uint64_t next_audit = 0;  // with this command, in builds that audit themselves
  // What problem_with() made ready for the swap that comes next.
  struct prepared_swap {
    std::string module, digest;
    std::vector<std::pair<partition_id, internal::staged_swap>> of;
  };
  std::optional<prepared_swap> prepared;

  // A copy of the other, but for its partitions.
  void follow(const impl &other) {
    shared.now_ms = other.shared.now_ms;
    rms = other.rms;
    partitions_made = other.partitions_made;
  }
  [[nodiscard]] partition_id next_partition() { return partition_id{++partitions_made}; }
  [[nodiscard]] internal::partition *find(auto which) const { return partitions.find(which); }
  // Calls f(partition) for the partition of this name, or for all partitions where the name is empty.
  template <class F>
  void touch_named(std::string_view name, F &&f);
  // Calls f(partition) for all partitions of the RM, or of all RMs where the name is empty.
  template <class F>
  void touch_all_of(std::string_view rm, F &&f) {
    for (const auto &p : partitions) {
      if (!rm.empty() && !p->is_of(rm)) continue;
      partitions.touch(*p);
      f(*p);
    }
  }
  // A partition of a registered RM, with what administrators stopped in the last one of its name.
  std::unique_ptr<internal::partition> make(const std::string &rm, const manager &by, const std::string &plain_name);
  // Those partitions for which `is` returns true.
  template <class Is>
  void bury_if(Is &&is);
  void bury_all_of(std::string_view rm);
  void fire_due(int64_t now);

  decision_view &emit(const decided_what &what, std::string_view partition);
  void apply(const register_rm &c);
  void apply(const configure &c);
  // The partitions that a configuration is for; those that it makes belong to it, and others are null.
  struct configured_partitions {
    std::vector<std::unique_ptr<internal::partition>> fresh;
    std::vector<internal::partition *> all;
  };
  // Empty, or why the RM cannot take the configuration. Changes nothing that decides.
  std::string check(const configure &c, configured_partitions &out);
  void apply(const signal_rm &c);
  void apply(const swap_module &c);
  [[gnu::cold]] std::string prepare(const swap_module &c);
  uint32_t apply(const step &c);
  uint32_t apply(const inspect &c);
  static void apply(const advance &) {}  // time has moved on already
  void wake_refused();
  [[gnu::cold]] void hold_as_told();
  // Of one partition.
  template <class Command>
  void apply(const Command &c);
  // The plain names of the partitions of the RM that a full name names, for refusals: of the first hundred partitions.
  [[gnu::cold]] [[nodiscard]] std::vector<std::string_view> partitions_beside(std::string_view full_name) const;
  template <class Rejection>
  [[gnu::cold]] void reject(std::string_view partition_name, Rejection why);
  uint32_t dispatch(const command &c);
};

}  // namespace tenon
