// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whom a source of groups is asked about, and what hosts give and want of it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "check.hpp"
#include "probe_table.hpp"

namespace tenon::conformance {

constexpr uint64_t most_groups = 65'536;  // of a user, as hosts have it
constexpr uint64_t most_group_bytes = uint64_t{4} << 20;
constexpr std::chrono::milliseconds longest_retry{2'500};

// Users that should be there: those that were named for this run, else `x-users` of its schema, else usual ones.
std::vector<std::string> users_of(const probe &p);
// A valid name that nobody has.
std::string a_stranger(dice &d);
std::string spoken_user(const std::string &name);

}  // namespace tenon::conformance
