// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What there is to say of one node or application that was asked for by name.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <iosfwd>

namespace tenon::cli {

// Nothing where the answer is a list's, without details.
void print_node_details(const boost::json::object &node, int64_t now_ms, std::ostream &out);
void print_application_details(const boost::json::object &application, int64_t now_ms, std::ostream &out);

}  // namespace tenon::cli
