// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the daemon answers, for people.
#pragma once

#include <boost/json/fwd.hpp>
#include <iosfwd>

namespace tenon::cli {

// Each takes the result of the command of its name.
void print_queues(const boost::json::object &result, std::ostream &out);
void print_canaries(const boost::json::object &result, std::ostream &out);
void print_applications(const boost::json::object &result, std::ostream &out);
void print_nodes(const boost::json::object &result, std::ostream &out);
void print_rms(const boost::json::object &result, std::ostream &out);
void print_explanations(const boost::json::object &result, std::ostream &out);
void print_modules(const boost::json::object &result, std::ostream &out);
void print_health(const boost::json::object &result, std::ostream &out);
void print_check(const boost::json::object &result, std::ostream &out);

}  // namespace tenon::cli
