// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl_commands.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>
#include <ostream>
#include <utility>

#include "ctl/client.hpp"
#include "ctl/events_command.hpp"
#include "ctl/tables.hpp"
#include "run/complain.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// CLI11 reads -1 as the largest number.
const CLI::Validator at_most = CLI::Range(int64_t{0}, int64_t{1'000'000'000'000}).description("");

constexpr const char *exit_codes =
    "Exit codes: 0 done; 1 the daemon says no, or is not healthy; 2 bad input; 3 no daemon answers.";

struct ctl_options {
  control_choice choice;
  bool as_json = false, ended = false;
  uint64_t limit = 0;
  std::string partition, queue, state, user, name;
  std::string application;  // and perhaps "/KEY", which the daemon can tell
};
using shared_options = std::shared_ptr<ctl_options>;
using printer = void (*)(const json::object &, std::ostream &);

int ask(const ctl_options &o, json::object request, printer print, std::ostream &out, std::ostream &err) {
  control_client client(o.choice);
  const control_answer answer = client.ask(std::move(request));
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
  return static_cast<int>(healthy != nullptr && !healthy->as_bool() ? exit_code::failed : exit_code::ok);
}

class ctl_group {
 public:
  ctl_group(CLI::App &group, chosen_command &chosen) : group_(group), chosen_(chosen) {}

  // A command with what all have; `make` fills the request.
  template <class Make>
  CLI::App *add(const char *name, const char *what, const shared_options &o, printer print, Make make,
                const std::string &examples) {
    CLI::App *command = plain(name, what, o->choice, examples);
    command->add_flag("--json", o->as_json, "Print the answer as JSON");
    command->callback([this_chosen = &chosen_, o, print, make, name] {
      *this_chosen = [o, print, make, name](std::istream &, std::ostream &out, std::ostream &err) {
        json::object request{{"command", name}};
        make(*o, request);
        return ask(*o, std::move(request), print, out, err);
      };
    });
    return command;
  }

  // One without.
  CLI::App *plain(const char *name, const char *what, control_choice &choice, const std::string &examples) {
    CLI::App *command = group_.add_subcommand(name, what);
    command->add_option("--control", choice.control, "Socket of the daemon")->type_name("FILE");
    command->add_option("-c,--deployment", choice.deployment, "Deployment of the daemon, which names its socket")
        ->type_name("FILE");
    command->add_option("--timeout-s", choice.timeout_s, "How long to wait for the answer")
        ->check(CLI::Range(int64_t{1}, int64_t{86'400}).description(""))
        ->capture_default_str();
    command->footer("Examples:\n" + examples + "\n" + exit_codes);
    return command;
  }
  chosen_command &chosen() { return chosen_; }

 private:
  CLI::App &group_;
  chosen_command &chosen_;
};

void put(json::object &into, std::string_view key, const std::string &text) {
  if (!text.empty()) into[key] = text;
}

void filters(const ctl_options &o, json::object &request) {
  put(request, "partition", o.partition);
  put(request, "queue", o.queue);
  put(request, "state", o.state);
  put(request, "user", o.user);
  put(request, "name", o.name);
  if (o.ended) request["ended"] = true;
  if (o.limit != 0) request["limit"] = o.limit;
}

void nothing_more(const ctl_options &, json::object &) {}

void add_partition(CLI::App &to, const shared_options &o) {
  to.add_option("--partition", o->partition, "Only of this partition, [RM]NAME or NAME")->type_name("NAME");
}

void add_limit(CLI::App &to, const shared_options &o) {
  add_partition(to, o);
  to.add_option("--limit", o->limit, "So many at most")->check(at_most)->type_name("N");
}

void add_state_commands(ctl_group &group) {
  auto o = std::make_shared<ctl_options>();
  CLI::App *queues = group.add("queues", "The queues, what they use and what they may use", o, print_queues, filters,
                               "  tenon ctl queues\n  tenon ctl queues --queue root.prod --json\n");
  queues->add_option("--queue", o->queue, "Only this queue and those below it")->type_name("PATH");
  add_limit(*queues, o);

  o = std::make_shared<ctl_options>();
  CLI::App *apps =
      group.add("apps", "The applications, what they have and what they wait for", o, print_applications, filters,
                "  tenon ctl apps\n  tenon ctl apps --queue root.prod --state Running\n"
                "  tenon ctl apps --ended --limit 20\n");
  apps->add_option("APPLICATION", o->name, "Only this one");
  apps->add_option("--queue", o->queue, "Only of this queue and those below it")->type_name("PATH");
  apps->add_option("--state", o->state, "Only in this state, as Running")->type_name("STATE");
  apps->add_option("--user", o->user, "Only of this user")->type_name("NAME");
  apps->add_flag("--ended", o->ended, "Those that have ended and are remembered");
  add_limit(*apps, o);

  o = std::make_shared<ctl_options>();
  CLI::App *nodes = group.add("nodes", "The nodes, what they have and what is free", o, print_nodes, filters,
                              "  tenon ctl nodes\n  tenon ctl nodes --state draining\n  tenon ctl nodes n-1 --json\n");
  nodes->add_option("NODE", o->name, "Only this one");
  nodes->add_option("--state", o->state, "Only in this state: schedulable or draining")
      ->check(CLI::IsMember({"schedulable", "draining"}))
      ->type_name("STATE");
  add_limit(*nodes, o);
}

void add_explain(ctl_group &group) {
  const auto o = std::make_shared<ctl_options>();
  const auto make = [](const ctl_options &given, json::object &request) {
    request["application"] = given.application;
    put(request, "partition", given.partition);
  };
  CLI::App *explain =
      group.add("explain", "Why asks of an application wait, and what would let them run", o, print_explanations, make,
                "  tenon ctl explain app-1\n  tenon ctl explain app-1/pod-7 --json\n");
  explain->add_option("APPLICATION", o->application, "The application, or APPLICATION/KEY: one of its asks")
      ->required();
  add_partition(*explain, o);
}

void add_events(ctl_group &group) {
  const auto o = std::make_shared<events_options>();
  CLI::App *events = group.plain("events", "What happened, and what happens from now on", o->choice,
                                 "  tenon ctl events\n  tenon ctl events --application app-1 --type APP REQUEST\n"
                                 "  tenon ctl events --follow --json\n");
  events->add_flag("--json", o->as_json, "Print each as JSON, one a line");
  events->add_flag("-f,--follow", o->follow, "Go on with what happens from now on");
  events->add_option("--limit", o->limit, "The last so many; 100 unless told, 10000 at most")
      ->check(at_most)
      ->type_name("N");
  events->add_option("--type", o->types, "Only of these types")
      ->check(CLI::IsMember({"SYSTEM", "REQUEST", "APP", "NODE", "QUEUE", "USERGROUP"}))
      ->type_name("WORD");
  events->add_option("--application", o->application, "Only about this one")->type_name("ID");
  events->add_option("--queue", o->queue, "Only about this one")->type_name("PATH");
  events->add_option("--node", o->node, "Only about this one")->type_name("ID");
  events
      ->add_option("--object", o->object,
                   "Only about this one: an application, node, queue, user; of type REQUEST the key of an ask")
      ->type_name("ID");
  events->add_option("--partition", o->partition, "Only of this partition, [RM]NAME")->type_name("NAME");
  events->add_option("--run", o->run, "Only of this run of the daemon, where a sink keeps several")->type_name("ID");
  events->add_option("--since-ms", o->since_ms, "Only from that time on, Unix milliseconds")->type_name("TIME");
  events->add_option("--until-ms", o->until_ms, "Only from before that time")->type_name("TIME");
  events->callback([chosen = &group.chosen(), o] {
    *chosen = [o](std::istream &, std::ostream &out, std::ostream &err) { return print_events(*o, out, err); };
  });
}

}  // namespace

void add_ctl_commands(CLI::App &app, chosen_command &chosen) {
  CLI::App *ctl = app.add_subcommand("ctl", "Look at a running daemon and tell it what to do");
  ctl->require_subcommand(1);
  ctl_group group(*ctl, chosen);
  add_state_commands(group);
  add_explain(group);
  add_events(group);
  group.add("rms", "The resource managers and what waits for them", std::make_shared<ctl_options>(), print_rms,
            nothing_more, "  tenon ctl rms\n");
  group.add("modules", "The modules, whether they are used, and their faults", std::make_shared<ctl_options>(),
            print_modules, nothing_more, "  tenon ctl modules\n  tenon ctl modules --json\n");
  group.add("health", "Whether the daemon does its work", std::make_shared<ctl_options>(), print_health, nothing_more,
            "  tenon ctl health\n  tenon ctl health --json\n");
  group.add("reload", "Read the queue files again: all of them, or nothing changes", std::make_shared<ctl_options>(),
            print_reloaded, nothing_more, "  tenon ctl reload\n  tenon ctl reload -c /etc/tenon/tenon.yaml\n");
}

}  // namespace tenon::cli
