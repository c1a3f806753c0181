// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What-if questions and their answers as JSON: docs/what-if.md. The same at every door.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <string_view>

#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/what_if.hpp"

namespace tenon::observe {

// What a question has.
inline constexpr std::array<std::string_view, 3> question_fields{"partition", "applications", "within_ms"};
inline constexpr size_t most_asks_if = 100;  // of one question

// An object that has members of a question alone. A refusal is of `where`, as a file.
[[nodiscard]] result<boost::json::object> parse_question(std::string_view text, std::string_view where);

// Members that are no question's are left to the caller. A refusal names the member, as applications[0].asks[1].count.
[[nodiscard]] result<what_if_question> read_question(const boost::json::object &from);
[[nodiscard]] boost::json::object answer_json(const what_if_answer &of);

}  // namespace tenon::observe
