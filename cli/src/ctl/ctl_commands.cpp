// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl_commands.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "ctl/action_commands.hpp"
#include "ctl/configuration_commands.hpp"
#include "ctl/ctl_group.hpp"
#include "ctl/ctl_snapshot_command.hpp"
#include "ctl/ctl_whatif_command.hpp"
#include "ctl/events_command.hpp"
#include "ctl/shadow_table.hpp"
#include "ctl/tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

void filters(const ctl_options &o, json::object &request) {
  put(request, "partition", o.partition);
  put(request, "queue", o.queue);
  put(request, "state", o.state);
  put(request, "user", o.user);
  put(request, "name", o.name);
  if (o.ended) request["ended"] = true;
  if (o.limit != 0) request["limit"] = o.limit;
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
    request["application"] = given.application + (given.object.empty() ? "" : "/" + given.object);
    put(request, "partition", given.partition);
  };
  CLI::App *explain =
      group.add("explain", "Why asks of an application wait, and what would let them run", o, print_explanations, make,
                "  tenon ctl explain app-1\n  tenon ctl explain app-1/pod-7 --json\n");
  explain->add_option("APPLICATION", o->application, "The application, or APPLICATION/KEY: one of its asks")
      ->required();
  explain->add_option("KEY", o->object, "One of its asks, where it does not stand behind a slash");
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
  events->add_option("--partition", o->partition, "Only of this partition, [RM]NAME in full")->type_name("NAME");
  events->add_option("--run", o->run, "Only of this run of the daemon, where a sink keeps several")->type_name("ID");
  events->add_option("--since-ms", o->since_ms, "Only from that time on, Unix milliseconds")->type_name("TIME");
  events->add_option("--until-ms", o->until_ms, "Only from before that time")->type_name("TIME");
  events->callback([chosen = &group.chosen(), o] {
    *chosen = [o](std::istream &, std::ostream &out, std::ostream &err) { return print_events(*o, out, err); };
  });
}

}  // namespace

std::vector<std::string> in_order_of_commands(std::vector<std::string> words) {
  struct action_words {
    std::string_view action;
    std::array<std::string_view, 2> objects;  // that it acts on; the first one where none is named
    bool is_named;                            // whether the command names the object
  };
  static constexpr std::array<action_words, 8> actions{{{"drain", {"node", "partition"}, true},
                                                        {"undrain", {"node", "node"}, true},
                                                        {"stop", {"queue", "partition"}, true},
                                                        {"start", {"queue", "partition"}, true},
                                                        {"lift", {"quarantine", "quarantine"}, true},
                                                        {"recovery", {"done", "done"}, true},
                                                        {"kill", {"application", "application"}, false},
                                                        {"move", {"application", "application"}, false}}};
  if (words.size() < 3 || words[0] != "ctl") return words;
  for (const action_words &one : actions) {
    const auto is_object = [&](const std::string &word) { return word == one.objects[0] || word == one.objects[1]; };
    if (words[2] == one.action && is_object(words[1])) std::swap(words[1], words[2]);
    if (words.size() > 3 && words[3] == one.action && is_object(words[1])) {
      std::rotate(words.begin() + 1, words.begin() + 3, words.begin() + 4);
    }
    if (words[1] != one.action) continue;
    const auto is_option = [&](size_t at) { return at >= words.size() || words[at].starts_with('-'); };
    if (one.is_named && !is_object(words[2]) && !is_option(2) && is_option(3))
      words.emplace(words.begin() + 2, one.objects[0]);
    if (!one.is_named && is_object(words[2]) && words.size() > 3) words.erase(words.begin() + 2);
    break;
  }
  return words;
}

void add_ctl_commands(CLI::App &app, chosen_command &chosen) {
  CLI::App *ctl = app.add_subcommand("ctl", "Look at a running daemon and tell it what to do");
  ctl->require_subcommand(1);
  ctl->footer(
      "Examples:\n"
      "  tenon ctl queues\n"
      "  tenon ctl apps --state Running\n"
      "  tenon ctl explain app-7\n"
      "  tenon ctl drain node n-17 --reason \"bad memory\"\n"
      "  tenon ctl health\n\n"
      "`tenon ctl COMMAND --help` says more.");
  ctl_group group(*ctl, chosen);
  add_state_commands(group);
  add_explain(group);
  add_whatif_command(group);
  add_snapshot_command(group);
  add_events(group);
  add_action_commands(group);
  group.add("rms", "The resource managers and what waits for them", std::make_shared<ctl_options>(), print_rms,
            nothing_more, "  tenon ctl rms\n");
  add_modules(group);
  group.add("health", "Whether the daemon does its work", std::make_shared<ctl_options>(), print_health, nothing_more,
            "  tenon ctl health\n  tenon ctl health --json\n");
  group.add("check", "Whether the scheduler's books are right: sums agree with what they are of",
            std::make_shared<ctl_options>(), print_check, nothing_more,
            "  tenon ctl check\n  tenon ctl check --json\n");
  group.add("shadow", "What the deployment's shadow would decide otherwise", std::make_shared<ctl_options>(),
            print_shadow, nothing_more, "  tenon ctl shadow\n  tenon ctl shadow --json\n");
  add_configuration_commands(group);
}

}  // namespace tenon::cli
