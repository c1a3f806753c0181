// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What one RM may keep in the kernel. Whatever would be more is refused before it is a command, so that no journal has
// it, and what replays one is not bounded.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tenon/host/running_limits.hpp"
#include "tenon/kernel/kept.hpp"
#include "tenon/service/scheduler.hpp"

namespace tenon::service {

inline constexpr size_t rm_bound_count = 4;  // applications, asks, nodes, bytes

// Those of one RM.
class rm_bounds {
 public:
  // "" or why the request is refused. `kept`: by the RM, without what goes for the request.
  std::string refuse(const kept_amounts &kept, const kept_amounts &more, const host::running_limits &limits);
  // Whether no bound is in the way of so much more. Quick.
  [[nodiscard]] static bool has_room(const kept_amounts &kept, const kept_amounts &more,
                                     const host::running_limits &limits);
  [[nodiscard]] std::vector<rm_bound> all(const kept_amounts &kept, const host::running_limits &limits) const;
  // Whether the last refusal is the first one since the bound was out of the way.
  [[nodiscard]] bool is_news() const { return news_; }

 private:
  struct tally {
    uint64_t refused = 0;
    uint64_t wanted = 0;  // more, by the last request that was refused
  };
  std::array<tally, rm_bound_count> tallies_;
  bool news_ = false;
};

}  // namespace tenon::service
