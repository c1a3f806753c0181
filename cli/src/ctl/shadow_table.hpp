// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the daemon says of its shadow, for people.
#pragma once

#include <boost/json/fwd.hpp>
#include <iosfwd>

namespace tenon::cli {

// Takes the result of the command `shadow`.
void print_shadow(const boost::json::object &result, std::ostream &out);

}  // namespace tenon::cli
