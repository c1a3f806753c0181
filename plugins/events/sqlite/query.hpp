// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A query of records as SQL: nothing is sorted, and nothing walked through that an index can leave out, because no
// record is written meanwhile.
#pragma once

#include <optional>

#include "database.hpp"
#include "tenon/sdk/event_sink.hpp"

namespace tenon::events_sqlite {

// Rows of what fits, at most so many, in the order in which they came; nothing where none can fit. Borrows the texts
// of `wanted`.
[[nodiscard]] std::optional<statement> select(const database &db, const sdk::event_query &wanted, uint64_t limit);

}  // namespace tenon::events_sqlite
