// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The last entries of this process's journal, where they can be read when the process ends: what is written of it to a
// file may be older.
#pragma once

#include <array>
#include <string_view>

#include "tenon/host/thread_role.hpp"

namespace tenon::host {

// At least so much is there of a journal that has as much.
inline constexpr size_t journal_tail_bytes = size_t{64} << 10;

// What the journal of this process gets, in whole entries, from the thread that decides: records of calls have the last
// of them.
void remember_journal(std::string_view bytes);

// In two parts. Nothing for a call on another thread than the one that decides, which goes on meanwhile.
[[nodiscard]] std::array<std::string_view, 2> journal_tail(thread_role of_call);

}  // namespace tenon::host
