// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Quotas: a queue that has more than its max, because that was lowered, is brought down by preemption after a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core.hpp"
#include "forward.hpp"
#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "tenon/kernel/decisions.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct quotas_access {
  partition_clock clock;
  const partition_config &config;
  const class_table &classes;
  internal::claims &claims;
  change_dispatcher &changes;
};

class quotas : quotas_access {
 public:
  explicit quotas(const quotas_access &all) : quotas_access(all) {}

  // Its max, usage or delay may be others. Those below come first: what these give is not asked for again above.
  void look_at(queue &q);
  void look_at_tree(queue &q);
  void look_at_path(queue &q);  // on the path to root
  // Of queues that are not over their max any more, now that a command or a timer has done all that it does.
  void stop_idle() {
    if (!over_.empty()) drop_timers();
  }
  void is_due(uint64_t epoch);
  // Of a copy of the partition: the timer of the queue is as that of the other one's.
  void follow(queue &q, const quota_timer &other);
  [[nodiscard]] bool runs(uint64_t epoch) const;  // the timer
  void forget_gone_queues();

 private:
  [[nodiscard]] bool is_over(const queue &q) const;
  void drop_timers();
  void give_back(queue &q, const resources &wanted, std::vector<allocation *> &victims);
  void give_back_in_leaf(const queue &leaf, resources wanted, std::vector<allocation *> &victims);

  std::vector<queue *> over_;  // whose timer runs
};

}  // namespace tenon::internal
