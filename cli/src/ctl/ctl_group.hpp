// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the commands of `tenon ctl` have in common: one request to the daemon, one answer printed.
#pragma once

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "ctl/client.hpp"
#include "plugin/plugin_commands.hpp"

namespace tenon::cli {

// CLI11 reads -1 as the largest number.
inline const CLI::Validator at_most = CLI::Range(int64_t{0}, int64_t{1'000'000'000'000}).description("");

struct ctl_options {
  control_choice choice;
  bool as_json = false, ended = false, back = false, verify = false;
  uint64_t limit = 0;
  std::string partition, queue, state, user, name;
  std::string application;  // and perhaps "/KEY", which the daemon can tell
  std::string object, target, reason;
};
using shared_options = std::shared_ptr<ctl_options>;
using printer = void (*)(const boost::json::object &, std::ostream &);
using request_maker = std::function<void(const ctl_options &, boost::json::object &request)>;

class ctl_group {
 public:
  ctl_group(CLI::App &group, chosen_command &chosen) : group_(group), chosen_(chosen) {}

  // A command with what all have; `make` fills the request, whose "command" is `name` unless it says otherwise.
  // `examples` are lines, each with its end.
  CLI::App *add(const char *name, const char *what, const shared_options &o, printer print, request_maker make,
                const std::string &examples);
  // One without, whose callback is the caller's.
  CLI::App *plain(const char *name, const char *what, control_choice &choice, const std::string &examples);
  // Commands below a word, as `stop queue`.
  [[nodiscard]] ctl_group below(const char *name, const char *what, const std::string &examples);
  chosen_command &chosen() { return chosen_; }

 private:
  CLI::App &group_;
  chosen_command &chosen_;
};

// Puts what is given into a request.
void put(boost::json::object &into, std::string_view key, const std::string &text);
void nothing_more(const ctl_options &, boost::json::object &);

void add_partition(CLI::App &to, const shared_options &o);
void add_limit(CLI::App &to, const shared_options &o);

}  // namespace tenon::cli
