// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A query of records as SQL: nothing is sorted, and nothing walked through that an index can leave out, because no
// record is written meanwhile.
#pragma once

#include <optional>

#include "database.hpp"
#include "tenon/sdk/event_sink.hpp"

namespace tenon::events_sqlite {

// Of the table, as rows of a query have them behind their position.
inline constexpr std::string_view columns =
    "run, id, last_id, type, timestamp_ns, change, detail, partition, object, reference, group_id, reason, message, "
    "application, queue, node, resource";

// Rows of what fits, at most so many, in the order in which they came; nothing where none can fit. Borrows the texts
// of `wanted`.
[[nodiscard]] std::optional<statement> select(const database &db, const sdk::event_query &wanted, uint64_t limit);

}  // namespace tenon::events_sqlite
