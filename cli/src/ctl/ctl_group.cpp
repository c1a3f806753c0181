// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl_group.hpp"

#include <ostream>
#include <utility>

#include "run/complain.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr const char *ctl_exit_codes =
    "Exit codes: 0 done; 1 the daemon says no, is not healthy or has nothing of that name; 2 bad input; 3 no daemon "
    "answers.";

int ask(const ctl_options &o, json::object request, printer print, std::ostream &out, std::ostream &err) {
  control_client client(o.choice);
  const control_answer answer = client.ask(request);
  if (const auto *no = std::get_if<no_answer>(&answer)) {
    complain(err, no->why);
    return static_cast<int>(no->code);
  }
  const auto &result = std::get<json::object>(answer);
  if (o.as_json)
    out << json::serialize(result) << '\n';
  else
    print(result, out);
  const json::value *healthy = result.if_contains("healthy");
  const bool says_no = healthy != nullptr && !healthy->as_bool();
  return static_cast<int>(says_no ? exit_code::failed : exit_code::ok);
}

}  // namespace

CLI::App *ctl_group::add(const char *name, const char *what, const shared_options &o, printer print, request_maker make,
                         const std::string &examples) {
  CLI::App *command = plain(name, what, o->choice, examples);
  command->add_flag("--json", o->as_json, "Print the answer as JSON");
  command->callback([command, this_chosen = &chosen_, o, print, make = std::move(make), name = std::string(name)] {
    if (!command->get_subcommands().empty()) return;  // that one was chosen
    *this_chosen = [o, print, make, name](std::istream &, std::ostream &out, std::ostream &err) {
      json::object request{{"command", name}};
      make(*o, request);
      return ask(*o, std::move(request), print, out, err);
    };
  });
  return command;
}

CLI::App *ctl_group::plain(const char *name, const char *what, control_choice &choice, const std::string &examples) {
  CLI::App *command = group_.add_subcommand(name, what);
  command->add_option("--control", choice.control, "Socket of the daemon")->type_name("FILE");
  command->add_option("-c,--deployment", choice.deployment, "Deployment of the daemon, which names its socket")
      ->type_name("FILE");
  command->add_option("--timeout-s", choice.timeout_s, "How long to wait for the answer")
      ->check(CLI::Range(int64_t{1}, int64_t{86'400}).description(""))
      ->capture_default_str();
  command->footer("Examples:\n" + examples + "\n" + ctl_exit_codes);
  return command;
}

ctl_group ctl_group::below(const char *name, const char *what, const std::string &examples) {
  CLI::App *group = group_.add_subcommand(name, what);
  group->require_subcommand(1);
  group->footer("Examples:\n" + examples + "\n" + ctl_exit_codes);
  return {*group, chosen_};
}

void put(json::object &into, std::string_view key, const std::string &text) {
  if (!text.empty()) into[key] = text;
}

void nothing_more(const ctl_options &, json::object &) {}

void add_partition(CLI::App &to, const shared_options &o) {
  to.add_option("--partition", o->partition, "Only of this partition, [RM]NAME or NAME")->type_name("NAME");
}

void add_limit(CLI::App &to, const shared_options &o) {
  add_partition(to, o);
  to.add_option("--limit", o->limit, "So many at most")->check(at_most)->type_name("N");
}

}  // namespace tenon::cli
