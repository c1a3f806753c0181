// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records made from facts, as the table of triggers says.
#pragma once

#include <string_view>

#include "fact_queue.hpp"
#include "tenon/events/record_batch.hpp"

namespace tenon::events {

// Adds the fact's records, their ids from its first one on.
void add_records(record_batch &to, const queued_fact &from, std::string_view run);

// Adds the record that says that records are lost.
void add_loss(record_batch &to, uint64_t first, uint64_t last, std::string_view run, int64_t timestamp_ns,
              std::string_view why);

}  // namespace tenon::events
