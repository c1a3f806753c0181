// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Inspection round: how far an inspection in parts has come (docs/decisions.md, section 7). It has names and numbers
// alone, since commands between the parts may remove what these stand for.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/objects.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

// An ask in the order of its application.
struct ask_place {
  int32_t priority = 0;
  int64_t create_time_ms = 0;
  uint64_t arrival = 0;
};

// The max of a queue, which has neither user nor group, or the limit of one of these there.
struct limit_name {
  std::string queue, user, group;
  friend auto operator<=>(const limit_name &, const limit_name &) = default;
};

// Where the next part begins in its leaf.
struct inspection_place {
  uint64_t submission = 0;          // after this application
  std::optional<ask_place> within;  // in the next one, if that is still `application`: after this ask
  uint64_t application = 0;
};

struct inspection_round {
  std::vector<std::string> leaves;  // that are left, by path, in their order
  inspection_place at;              // in the first one
  uint64_t first_of = 0;            // its first ask that lacks headroom, by application and key; 0: none was seen
  std::string first_key;
  std::map<limit_name, amount_map> taken;  // what the asks that are FAILED would take

  inspection_round() = default;
  explicit inspection_round(const saved_inspection &from);
  [[nodiscard]] saved_inspection saved() const;
  [[nodiscard]] bool is_over() const { return leaves.empty(); }
  [[nodiscard]] resources taken_within(const limit_name &of, const resource_types &types) const;
};

// Up to `most` pending asks of the application behind `after`, in their order: those without a reservation and, but
// for a `stopped` one, those that wait for no placeholder.
[[nodiscard]] std::vector<ask *> asks_behind(const application &app, const std::optional<ask_place> &after, size_t most,
                                             bool stopped);

}  // namespace tenon::internal
