// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which texts are names. The same rules hold in configuration, in placement and for what RMs send.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

inline constexpr size_t longest_queue_name = 64;
inline constexpr std::string_view root_queue_name = "root";
inline constexpr std::string_view recovery_queue_name = "@recovery@";
inline constexpr std::string_view wildcard = "*";  // every user, or every group, in limits and ACLs

// One part of a queue path: [a-zA-Z0-9_:#/@-]{1,64}
[[nodiscard]] bool is_queue_name(std::string_view text);
// [_a-zA-Z][a-zA-Z0-9:#/_.@-]*[$]?  Wide enough for OIDC subjects and machine accounts.
[[nodiscard]] bool is_user_name(std::string_view text);
// [_a-zA-Z][a-zA-Z0-9:_.-]*
[[nodiscard]] bool is_group_name(std::string_view text);
// [_a-zA-Z][a-zA-Z0-9_]*
[[nodiscard]] bool is_rule_name(std::string_view text);

// ASCII only: names have no other letters, and the process's locale must not matter.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tenon
