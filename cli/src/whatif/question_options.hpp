// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The options that make a what-if question, of `tenon whatif` and `tenon ctl whatif` alike.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

struct question_options {
  std::string file;  // with the whole question; "-": the standard input; empty: the options below are one
  std::string partition, application, queue, user, key, priority_class, required_node;
  std::vector<std::string> groups, resources, tags, application_tags;
  int64_t count = 1, priority = 0;
  int64_t within_s = 60;
  bool preempts = false, protect = false, gang = false;

  void add_to(CLI::App &command);
  // The question in JSON.
  [[nodiscard]] result<boost::json::object> make(std::istream &in) const;
};

}  // namespace tenon::cli
