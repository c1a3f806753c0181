// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The record of a call that is under way in this process, written without memory of the heap.
#pragma once

#include <optional>
#include <string_view>

#include "calls/call_input.hpp"
#include "calls/call_place.hpp"

namespace tenon::host {

// Takes what writing one needs, once. Without it none is written.
void prepare_flight_records();

// That a record of this call can be written to this folder.
[[nodiscard]] bool has_flight_record(const call_place::seen_call &call, std::string_view folder);

// What the slot of a call on another thread is given, and where that lies. Nothing: the call has returned.
[[nodiscard]] std::optional<call_input> copied_input(const call_place &place, const call_place::seen_call &call);

// Of such a call. `text`: the record for people. From a signal handler, too. Nothing is written where another thread is
// at it.
void write_flight_record(std::string_view text, const call_place::seen_call &call, std::string_view folder);

}  // namespace tenon::host
