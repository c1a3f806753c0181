// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The journal's bytes: commands with their times, encoded so that any build reads what any build wrote.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon {

struct saved_state;  // saved_state.hpp

// First bytes of a journal: magic, format version and one line about who wrote it (a second line is cut).
[[nodiscard]] std::string journal_header(std::string_view origin);

// One entry: size, checksum, command, time, fields (docs/journal.md). An entry of 4 GiB or more is a std::length_error
// and leaves `out` as it was; a configuration nested deeper than 1,000 cannot be read back.
void append_entry(std::string &out, int64_t now_ms, const command &c);
// The same, with the answers that a kernel used for the command in place of its own.
void append_entry(std::string &out, int64_t now_ms, const command &c, std::span<const step_answer> answers);

// Reads a whole journal and calls `take` for each entry; views live for the call. Gives how many were taken. An entry
// that is damaged, cut, or beyond what this build knows is refused with its byte offset and number; entries before it
// were taken.
[[nodiscard]] result<uint64_t> read_journal(std::string_view bytes,
                                            const std::function<void(int64_t now_ms, const command &c)> &take);

// -- A journal that begins with a state instead of an empty scheduler. --
// The entry, which stands behind the header. The same limit.
void append_state(std::string &out, int64_t now_ms, const saved_state &s);
// Takes the state; gives why it is not taken.
using take_state = std::function<std::optional<refusal>(int64_t now_ms, const saved_state &s)>;
// As above; `begin` is called first where it begins with a state. The function above refuses such a journal.
[[nodiscard]] result<uint64_t> read_journal(std::string_view bytes, const take_state &begin,
                                            const std::function<void(int64_t now_ms, const command &c)> &take);

// How many of the bytes that stand behind a header of the newest format are whole entries, for who reads a journal
// while it is written. What is wrong with them read_journal() says: of a size that no entry has all bytes are given.
[[nodiscard]] size_t whole_entries(std::string_view bytes);

}  // namespace tenon
