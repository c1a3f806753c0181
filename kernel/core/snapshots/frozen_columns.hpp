// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Frozen columns: the newest blocks of a partition's objects.
#pragma once

#include "snapshots/frozen_blocks.hpp"

namespace tenon::internal {

struct frozen_columns {
  frozen_past past;
  frozen_column<frozen_class> classes{past};
  frozen_column<frozen_ask> asks{past};
  frozen_column<frozen_allocation> allocations{past};
  frozen_column<frozen_node> nodes{past};  // by slot
  frozen_column<frozen_application> applications{past};
  std::vector<frozen_queue> queues;
  uint64_t queues_version = 0;
  std::shared_ptr<const std::vector<std::string>> types = std::make_shared<std::vector<std::string>>();
  uint64_t types_version = 0;  // of these
  uint32_t classes_known = 0;
  int64_t asked_ms = 0;  // when readers came last

  [[nodiscard]] size_t bytes() const {
    return past.bytes() + classes.bytes() + asks.bytes() + allocations.bytes() + nodes.bytes() + applications.bytes();
  }
  // Gives back some of it, where nobody reads. False: there is nothing left.
  bool drop_some() {
    if (past.is_read()) return true;
    past.collect();
    return !past.empty() || asks.drop_page() || allocations.drop_page() || nodes.drop_page() ||
           applications.drop_page() || classes.drop_page();
  }
};

}  // namespace tenon::internal
