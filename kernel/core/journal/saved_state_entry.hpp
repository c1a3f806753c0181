// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A saved state as the bytes of an entry, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "journal/damage.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::journal {

// Its number among the commands; none of them has it.
inline constexpr uint32_t state_number = 1000;  // none of a command

void write_state(std::string &out, const saved_state &s);
// The fields in bytes[at, end).
std::optional<damage> read_state(std::string_view bytes, size_t at, size_t end, saved_state &out);

}  // namespace tenon::journal
