// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Looks at copies of the state, one after the other, for what should have happened in between and did not.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/snapshot.hpp"
#include "tenon/observe/outcome_finding.hpp"

namespace tenon::observe {

// By one thread at a time. Of each application the first ask counts that could be placed, or would be but for an order.
class outcome_watch {
 public:
  using clock = std::chrono::steady_clock;

  // What lasts for so long is a finding.
  explicit outcome_watch(clock::duration lasts) : lasts_(lasts) {}

  // The copy has queues, applications and asks. Of a resource manager for which `rests(rm)` nothing is expected.
  void look(const kernel_snapshot &state, const std::function<bool(const std::string &)> &rests, clock::time_point at);
  // As of the last look: by partition and queue.
  [[nodiscard]] const std::vector<outcome_finding> &findings() const { return findings_; }

 private:
  struct waiting {
    std::string key;
    int32_t pending = 0;
    std::optional<left_out_by> left_out;
    clock::time_point since;  // it could be placed, at every look
    friend bool is_same(const waiting &a, const waiting &b) {
      return a.key == b.key && a.pending == b.pending && a.left_out == b.left_out;
    }
  };
  struct leaf {
    amount_map allocated;
    std::map<std::string, waiting> applications;
    clock::time_point still_since;  // nothing of it was placed
  };
  using by_path = std::map<std::string, const queue_snapshot *, std::less<>>;

  std::map<std::string, leaf> leaves_of(const partition_snapshot &p, const by_path &queues,
                                        const std::map<std::string, leaf> &before, clock::time_point at) const;
  void find_in(const partition_snapshot &p, const std::string &path, const leaf &of, clock::time_point at);
  void find_below_guarantee(const partition_snapshot &p, const by_path &queues, clock::time_point at);
  [[nodiscard]] bool lasts(clock::time_point since, clock::time_point at) const { return at - since >= lasts_; }

  const clock::duration lasts_;
  std::map<std::string, std::map<std::string, leaf>> leaves_;              // by partition and path
  std::map<std::string, std::map<std::string, clock::time_point>> below_;  // their guarantee: likewise, since when
  std::vector<outcome_finding> findings_;
};

}  // namespace tenon::observe
