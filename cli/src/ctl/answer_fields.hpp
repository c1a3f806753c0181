// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fields of what the daemon answers, as cells of a table. "-" is none: nothing is set, nobody is meant. 0 is 0.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace tenon::cli::answer_fields {

// Each wants its key to be there.
[[nodiscard]] std::string text(const boost::json::object &of, std::string_view key);
[[nodiscard]] bool yes(const boost::json::object &of, std::string_view key);
[[nodiscard]] int64_t number(const boost::json::object &of, std::string_view key);
[[nodiscard]] std::string count(const boost::json::object &of, std::string_view key);
[[nodiscard]] std::string size(const boost::json::object &of, std::string_view key);  // of a list

// Of a daemon that may not have the key yet.
[[nodiscard]] std::string text_or_nothing(const boost::json::object &of, std::string_view key);

[[nodiscard]] std::string or_none(std::string value);

// Types that any of the items has anything of, under any of the keys.
[[nodiscard]] std::set<std::string> types_of(const boost::json::array &items,
                                             std::initializer_list<std::string_view> keys);
// Of an amount that is counted: what is not there is 0.
[[nodiscard]] std::string used(const boost::json::object &of, std::string_view key, const std::string &type);
// Of one that is configured: what is not there is not set.
[[nodiscard]] std::string set(const boost::json::object &of, std::string_view key, const std::string &type);
// "gpu 2, vcore 4"; nothing at all is 0.
[[nodiscard]] std::string amounts_text(const boost::json::object &of, std::string_view key);
[[nodiscard]] std::string title(std::string type, std::string_view what);
[[nodiscard]] std::string age(const boost::json::object &of, std::string_view key, int64_t now_ms);

// Of an application: allocations that it asks for and does not have.
[[nodiscard]] int64_t waiting(const boost::json::object &application);
// What they wait for, the most first; `hold` is what holds all of its partition up, or nothing.
[[nodiscard]] std::string waits_for(const boost::json::object &application, const std::string &hold);
// Of a node: "gpu 1 0.5 0".
[[nodiscard]] std::string devices(const boost::json::object &node);

}  // namespace tenon::cli::answer_fields
