// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// JSON for people: each element on a line of its own, two blanks deeper than what it is in.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <string>

namespace tenon::rest {

void append_pretty(std::string &out, const boost::json::value &v, size_t depth);

}  // namespace tenon::rest
