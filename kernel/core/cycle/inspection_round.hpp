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

// The place of an ask in the order of its application.
struct ask_place {
  int32_t priority = 0;
  int64_t create_time_ms = 0;
  uint64_t arrival = 0;
};

// Names the max of a queue or, with a user or a group, their limit in that queue.
struct limit_name {
  std::string queue, user, group;
  friend auto operator<=>(const limit_name &, const limit_name &) = default;
};

// The place in a leaf at which the next part begins.
struct inspection_place {
  uint64_t submission = 0;          // of the last application that is done
  std::optional<ask_place> within;  // the last ask that is done of the next application, if that is `application`
  uint64_t application = 0;
};

struct inspection_round {
  std::vector<std::string> leaves;  // paths of the leaves that are left, in their order
  inspection_place at;              // in the first of these leaves
  // The first ask of that leaf that lacks headroom: submission of its application (0: none was seen yet) and key.
  uint64_t first_of = 0;
  std::string first_key;
  std::map<limit_name, amount_map> taken;  // by the asks that are FAILED, if there were nodes for them

  inspection_round() = default;
  explicit inspection_round(const saved_inspection &from);
  [[nodiscard]] saved_inspection saved() const;
  [[nodiscard]] bool is_over() const { return leaves.empty(); }
  [[nodiscard]] resources taken_within(const limit_name &of, const resource_types &types) const;
};

// Returns at most `most` pending asks of the application that come after `after`, in their order. Leaves out those with
// a reservation and, unless the application is `stopped`, those that wait for placeholders.
[[nodiscard]] std::vector<ask *> asks_behind(const application &app, const std::optional<ask_place> &after, size_t most,
                                             bool stopped);

}  // namespace tenon::internal
