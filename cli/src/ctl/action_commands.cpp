// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/action_commands.hpp"

#include <ostream>

#include "ctl/tables.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

void print_done(const json::object &result, std::ostream &out) {
  const auto text = [&](std::string_view key) { return std::string(result.at(key).as_string()); };
  const std::string object = text("object"), partition = text("partition");
  out << "done: " << text("action") << (object.empty() ? "" : " " + object)
      << (partition.empty() ? "" : (object.empty() ? " " : " of ") + partition) << '\n';
}

// An action as the daemon names it, on what an argument names.
request_maker acting(std::string action) {
  return [action = std::move(action)](const ctl_options &o, json::object &request) {
    request["command"] = "act";
    request["action"] = action;
    put(request, "partition", o.partition);
    put(request, "object", o.object);
    put(request, "target", o.target);
    put(request, "reason", o.reason);
  };
}

void add_reason(CLI::App &to, const shared_options &o) {
  to.add_option("--reason", o->reason, "Why, for the record")->type_name("TEXT");
}

struct object_text {
  const char *argument, *what;
};

// One that acts on something in a partition.
CLI::App *add_on_object(ctl_group &group, const char *name, const char *what, const std::string &action,
                        object_text object, const std::string &examples, const shared_options &o) {
  CLI::App *command = group.add(name, what, o, print_done, acting(action), examples);
  command->add_option(object.argument, o->object, object.what)->required();
  command
      ->add_option("--partition", o->partition, "Its partition, [RM]NAME or NAME, where several have one of that name")
      ->type_name("NAME");
  add_reason(*command, o);
  return command;
}

void add_on_partition(ctl_group &group, const char *what, const std::string &action, const std::string &examples) {
  const auto o = std::make_shared<ctl_options>();
  CLI::App *command = group.add("partition", what, o, print_done, acting(action), examples);
  command->add_option("NAME", o->partition, "The partition, [RM]NAME or NAME")->required();
  add_reason(*command, o);
}

constexpr object_text queue_text{"PATH", "The queue"}, node_text{"NODE", "The node"},
    application_text{"APPLICATION", "The application"};

void add_stop_and_start(ctl_group &group) {
  const std::string stop_queue = "  tenon ctl stop queue root.prod --reason \"release on Friday\"\n",
                    stop_partition = "  tenon ctl stop partition default\n",
                    start_queue = "  tenon ctl start queue root.prod\n",
                    start_partition = "  tenon ctl start partition default\n";
  ctl_group stop =
      group.below("stop", "Place nothing new in a queue or partition; what runs stays", stop_queue + stop_partition);
  add_on_object(stop, "queue", "Place nothing new in it and in those below it, and take no new applications",
                "stop queue", queue_text, stop_queue, std::make_shared<ctl_options>());
  add_on_partition(stop, "Decide nothing in it any more, and take no new applications", "stop partition",
                   stop_partition);
  ctl_group start =
      group.below("start", "Let a queue or partition that was stopped go on", start_queue + start_partition);
  add_on_object(start, "queue", "Let it go on", "start queue", queue_text, start_queue,
                std::make_shared<ctl_options>());
  add_on_partition(start, "Let it go on", "start partition", start_partition);
}

void add_drain_and_undrain(ctl_group &group) {
  const std::string drain_node = "  tenon ctl drain node n-17 --reason \"bad memory\"\n",
                    drain_partition = "  tenon ctl drain partition '[rm]old'\n",
                    undrain_node = "  tenon ctl undrain node n-17\n";
  ctl_group drain = group.below("drain", "Let a node or partition run empty", drain_node + drain_partition);
  add_on_object(drain, "node", "Place nothing new on it; what runs stays", "drain node", node_text, drain_node,
                std::make_shared<ctl_options>());
  add_on_partition(drain,
                   "Take no new applications and nodes; it goes when it is empty, and `tenon ctl reload` takes it back "
                   "until then",
                   "drain partition", drain_partition);
  ctl_group undrain = group.below("undrain", "Use a node again that was drained", undrain_node);
  add_on_object(undrain, "node", "Use it again", "undrain node", node_text, undrain_node,
                std::make_shared<ctl_options>());
}

void add_canary(ctl_group &group) {
  const std::string back = "  tenon ctl canary back --reason \"jobs are slow\"\n", again = "  tenon ctl canary again\n";
  const auto o = std::make_shared<ctl_options>();
  const auto make = [](const ctl_options &given, json::object &request) { put(request, "partition", given.partition); };
  CLI::App *shown = group.add("canary", "The canaries of partitions, how long their placements wait and others'", o,
                              print_canaries, make, "  tenon ctl canary\n" + back + again);
  add_partition(*shown, o);
  ctl_group below(*shown, group.chosen());
  const auto add = [&](const char *name, const char *what, const std::string &examples) {
    const auto options = std::make_shared<ctl_options>();
    CLI::App *command = below.add(name, what, options, print_done, acting(std::string("canary ") + name), examples);
    command->add_option("--partition", options->partition, "The partition, [RM]NAME or NAME, where there are several")
        ->type_name("NAME");
    add_reason(*command, options);
  };
  add("back", "Give its applications the partition's order of nodes again, at once", back);
  add("again", "Put it in place once more as it is configured, after it went back", again);
}

void add_on_applications(ctl_group &group) {
  add_on_object(group, "kill", "End an application: what it has is released, what it asks for is dropped",
                "kill application", application_text, "  tenon ctl kill app-7 --reason \"runs since May\"\n",
                std::make_shared<ctl_options>());
  const auto o = std::make_shared<ctl_options>();
  CLI::App *move = add_on_object(group, "move", "Move an application to another leaf queue, with all it has",
                                 "move application", application_text, "  tenon ctl move app-7 root.batch.night\n", o);
  move->add_option("QUEUE", o->target, "The leaf that it goes to")->required();
}

void add_recovery(ctl_group &group) {
  const std::string examples = "  tenon ctl recovery done rm-1\n";
  ctl_group recovery = group.below("recovery", "What runs already, as a resource manager reports it", examples);
  const auto o = std::make_shared<ctl_options>();
  CLI::App *done = recovery.add("done",
                                "It reported all that runs: from now on its asks are placed, where it registered with "
                                "recovery.hold",
                                o, print_done, acting("recovery done"), examples);
  done->add_option("RM", o->object, "The resource manager")->required();
  add_reason(*done, o);
}

void add_lift(ctl_group &group) {
  const std::string examples = "  tenon ctl lift quarantine acme.binpack --reason \"new disk\"\n";
  ctl_group lift = group.below("lift", "End what holds a module back", examples);
  const auto o = std::make_shared<ctl_options>();
  CLI::App *quarantine =
      lift.add("quarantine", "Load it again, at the next reload or start, though it ended the daemon", o, print_done,
               acting("lift-quarantine"), examples);
  quarantine->add_option("MODULE", o->object, "The module's id")->required();
  add_reason(*quarantine, o);
}

void print_swapped(const json::object &result, std::ostream &out) {
  const auto text = [&](std::string_view key) { return std::string(result.at(key).as_string()); };
  out << "done: " << text("object") << ' ' << text("version") << ", sha256:" << text("digest").substr(0, 12)
      << (text("digest") == text("before") ? std::string(", decides again")
                                           : ", decides in place of sha256:" + text("before").substr(0, 12))
      << "; the scheduler paused for " << result.at("paused_us").to_number<int64_t>() << " us\n";
}

void print_stepped(const json::object &result, std::ostream &out) {
  const int64_t made = result.at("decisions").to_number<int64_t>();
  out << made << (made == 1 ? " decision\n" : " decisions\n");
}

void add_step(ctl_group &group) {
  const auto o = std::make_shared<ctl_options>();
  const auto make = [](const ctl_options &given, json::object &request) {
    put(request, "partition", given.partition);
    if (given.limit != 0) request["limit"] = given.limit;
  };
  CLI::App *step =
      group.add("step", "Take requests, let time pass and make decisions, where the deployment says cycle.manual: true",
                o, print_stepped, make, "  tenon ctl step\n  tenon ctl step --decisions 100 --partition default\n");
  step->add_option("--decisions", o->limit, "So many in each partition at most; 1 unless told")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}).description(""))
      ->type_name("N");
  step->add_option("--partition", o->partition, "Of this partition alone, [RM]NAME or NAME")->type_name("NAME");
}

}  // namespace

void add_modules(ctl_group &group) {
  const std::string swap = "  tenon ctl modules swap acme.binpack --reason \"1.2.1\"\n",
                    back = "  tenon ctl modules swap acme.binpack --back\n",
                    again = "  tenon ctl modules restore acme.binpack --reason \"its server is back\"\n";
  CLI::App *shown =
      group.add("modules", "The modules, whether they are used, and their faults", std::make_shared<ctl_options>(),
                print_modules, nothing_more, "  tenon ctl modules\n  tenon ctl modules --json\n" + swap + again);
  ctl_group below(*shown, group.chosen());
  const auto o = std::make_shared<ctl_options>();
  const auto make = [](const ctl_options &given, json::object &request) {
    acting(given.back ? "swap-module-back" : "swap-module")(given, request);
    if (given.verify) request["verify"] = true;
  };
  CLI::App *command = below.add("swap", "Have the build decide that lies on the module path now, without a restart", o,
                                print_swapped, make, swap + back);
  command->add_option("MODULE", o->object, "The module's id")->required();
  CLI::Option *goes_back =
      command->add_flag("--back", o->back, "The build from which the one in force took over, instead");
  command->add_flag("--verify", o->verify, "Only if it passes the checks of `tenon plugin verify`")
      ->excludes(goes_back);
  add_reason(*command, o);
  const auto restored = std::make_shared<ctl_options>();
  CLI::App *restore = below.add("restore", "Have a module decide again that failed, or that is in quarantine", restored,
                                print_swapped, acting("restore-module"), again);
  restore->add_option("MODULE", restored->object, "The module's id")->required();
  add_reason(*restore, restored);
}

void add_action_commands(ctl_group &group) {
  add_step(group);
  add_stop_and_start(group);
  add_drain_and_undrain(group);
  add_canary(group);
  add_on_applications(group);
  add_recovery(group);
  add_lift(group);
}

}  // namespace tenon::cli
