// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A query of records as SQL.
#pragma once

#include <string>
#include <vector>

#include "tenon/sdk/event_sink.hpp"

namespace tenon::events_postgresql {

struct statement {
  std::string sql;
  std::vector<std::string> parameters;
};

// Rows of what fits behind this position, at most so many, in the order in which they came.
[[nodiscard]] statement select(const sdk::event_query &wanted, uint64_t after, uint64_t limit);

}  // namespace tenon::events_postgresql
