// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What came of the shadows of policies, for programs and for people.
#pragma once

#include <boost/json/array.hpp>
#include <iosfwd>
#include <vector>

#include "tenon/host/call_shadow.hpp"

namespace tenon::cli {

// One object each; docs/call-shadow.md has its keys.
[[nodiscard]] boost::json::array shadows_json(const std::vector<host::call_shadow_status> &shadows);
// Of such objects. Nothing where there are none.
void print_shadows(const boost::json::array &shadows, std::ostream &out);

}  // namespace tenon::cli
