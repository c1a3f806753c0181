// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "completion.hpp"
#include "config/config_commands.hpp"
#include "ctl/ctl_commands.hpp"
#include "plugin/plugin_commands.hpp"
#include "run/complain.hpp"
#include "run/exit_code.hpp"
#include "run/policies.hpp"
#include "scenario/run_command.hpp"
#include "serve/serve_command.hpp"
#include "serve/try_daemon.hpp"
#include "simulate_command.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "trace/trace.hpp"

namespace tenon::cli {
namespace {

constexpr const char *exit_codes =
    "Exit codes: 0 done; 1 the answer is no (a scenario failed); 2 bad input, nothing was done.";

// What the parser fills and the command that it chose.
struct choice {
  scenario_run_options scenario_run;
  simulate_options simulate;
  bool generate = false, no_progress = false;
  config_check_options config_check;
  policy_choice config_policies;
  std::string schema_format;
  std::string completion_shell;
  chosen_command run;
};

void add_scenario(CLI::App &app, choice &chosen) {
  CLI::App *scenario = app.add_subcommand("scenario", "Test a configuration or a policy with scenario files");
  scenario->require_subcommand(1);
  scenario->footer("Examples:\n  tenon scenario run tests/scenarios\n\n`tenon scenario run --help` says more.");
  CLI::App *run =
      scenario->add_subcommand("run", "Play scenario files, each against a fresh scheduler in virtual time");
  scenario_run_options &o = chosen.scenario_run;
  run->add_option("PATH", o.paths, "Scenario files, or folders that are searched for them")->required();
  run->add_option("--filter", o.filter, "Only scenarios whose name has this regular expression")->type_name("RE");
  run->add_flag("--json", o.json, "Print the outcome as JSON");
  run->add_option("--junit", o.junit, "Write the outcome as JUnit XML")->type_name("FILE");
  run->add_option("--record", o.record, "Write the journal; a folder takes those of several scenarios")
      ->type_name("FILE");
  run->add_option("--decisions", o.decisions, "Write every decision, one a line")->type_name("FILE");
  run->add_option("--deployment", o.deployment, "Modules to use, in place of what scenarios name")->type_name("FILE");
  run->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  run->footer(
      "Examples:\n"
      "  tenon scenario run tests/scenarios\n"
      "  tenon scenario run quota.yaml --json\n"
      "  tenon scenario run tests/scenarios --filter '^sort-' --junit report.xml\n"
      "  tenon scenario run quota.yaml --record quota.journal && tenon simulate --replay quota.journal\n\n"
      "Exit codes: 0 every scenario passed; 1 one failed; 2 an option is refused, nothing was played, or a file is,\n"
      "all others were played.");
  run->callback([&chosen] {
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_scenarios(chosen.scenario_run, out, err));
    };
  });
}

// An option that takes one of a few choices.
template <class Value>
void add_choice(CLI::App &to, const char *option, Value &value, const std::map<std::string, Value> &choices,
                const char *what) {
  std::vector<std::string> known;
  for (const auto &[word, meaning] : choices) known.push_back(word);
  to.add_option_function<std::string>(
        option, [&value, choices](const std::string &word) { value = choices.at(word); }, what)
      ->check(CLI::IsMember(known))
      ->type_name("WORD");
}

void add_load_options(CLI::App &simulate, simulate_options &o, bool &generate) {
  simulate.add_flag("--generate", generate,
                    "Play a generated load; that is what is played where nothing else is named");
  simulate.add_option("--trace", o.trace, "Play a trace: " + std::string(trace_forms))->type_name("KIND:FILES");
  simulate.add_option("--replay", o.replay, "Play a journal that --record wrote")->type_name("FILE");
  add_choice(simulate, "--mode", o.mode, {{"fill", load_mode::fill}, {"replay", load_mode::replay}},
             "fill: everything at once; replay: in time (the default)");
  add_choice(simulate, "--gpu-model", o.gpus, {{"device", gpu_model::device}, {"sum", gpu_model::sum}},
             "openb: GPUs of a node one by one (device, the default), or only their sum");

  add_choice(simulate, "--gangs", o.gangs,
             {{"none", gang_style::none}, {"soft", gang_style::soft}, {"hard", gang_style::hard}},
             "How gangs are asked for: soft (the default), hard: with placeholders; none: worker by worker");
  simulate.add_option("--placeholder-timeout-s", o.placeholder_timeout_s, "How long a gang may wait for all of them")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30).description(""));

  generate_options &g = o.generated;
  const std::string group = "Generated load";
  const auto add = [&](const char *name, auto &value, const char *what, double least, double most) {
    simulate.add_option(name, value, what)
        ->check(CLI::Range(least, most).description(""))
        ->capture_default_str()
        ->group(group);
  };
  simulate.add_option("--seed", g.seed, "Another seed is another load")->capture_default_str()->group(group);
  add("--nodes", g.nodes, "Nodes", 1, 1e6);
  add("--pods", g.pods, "Pods", 0, 1e8);
  add("--shapes", g.shapes, "Distinct shapes of pods", 1, 5000);
  add("--queues", g.queues, "Leaf queues", 1, 1e5);
  add("--users", g.users, "Users", 1, 1e6);
  add("--pods-per-app", g.pods_per_application, "Pods of an application, at most", 1, 1e6);
  add("--interarrival-ms", g.interarrival_ms, "Mean time between two pods", 0, 1e9);
  add("--duration-s", g.duration_s, "Median time that a pod runs", 0, 1e9);
  add("--size", g.size, "Scales what pods ask for", 1e-6, 1e6);
}

void add_simulate(CLI::App &app, choice &chosen) {
  CLI::App *simulate =
      app.add_subcommand("simulate", "Play a load or a journal against the real kernel in virtual time");
  simulate_options &o = chosen.simulate;
  add_load_options(*simulate, o, chosen.generate);
  simulate->add_option("--config", o.config, "queues.yaml, in place of a queue for each one of the load")
      ->type_name("FILE");
  simulate->add_option("--node-sort", o.node_sort, "Node sort policy: fair, binpacking or a module's")
      ->type_name("NAME");
  simulate->add_option("--queue", o.queue, "Queue of every application, in place of the load's")->type_name("PATH");
  simulate->add_option("--record", o.record, "Write the journal, to a new file")->type_name("FILE");
  simulate->add_option("--decisions", o.decisions, "Write every decision, one a line")->type_name("FILE");
  simulate->add_option("--explain", o.explain, "Say why this ask waits at the end, instead of the summary")
      ->type_name("APPLICATION/KEY");
  simulate->add_option("--dump", o.dump, "Write the state at the end as JSON")->type_name("FILE");
  simulate->add_option("--report", o.report, "Draw the run as one HTML page")->type_name("FILE");
  simulate->add_option("--beside", o.beside, "Draw it beside the run of this report")
      ->type_name("FILE")
      ->needs(simulate->get_option("--report"));
  simulate->add_flag("--json", o.json, "Print the summary as JSON");
  simulate->add_flag("--no-progress", chosen.no_progress, "Say nothing before the end");
  simulate->add_option("--deployment", o.deployment, "Modules to use")->type_name("FILE");
  simulate->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  for (const char *other : {"--trace", "--generate"}) {
    simulate->get_option("--replay")->excludes(simulate->get_option(other));
  }
  simulate->get_option("--trace")->excludes(simulate->get_option("--generate"));
  simulate->footer(
      "Examples:\n"
      "  tenon simulate\n"
      "  tenon simulate --generate --seed 7 --nodes 100 --pods 2000 --node-sort binpacking\n"
      "  tenon simulate --trace openb:nodes.csv,pods.csv --mode fill --node-sort device-packing --json\n"
      "  tenon simulate --trace philly:jobs.csv,machines.csv\n"
      "  tenon simulate --trace swf:CTC-SP2-1996-3.1-cln.swf\n"
      "  tenon simulate --nodes 100 --report fair.html\n"
      "  tenon simulate --nodes 100 --node-sort binpacking --report packed.html --beside fair.html\n"
      "  tenon simulate --record run.journal && tenon simulate --replay run.journal\n\n" +
      std::string(exit_codes));
  simulate->callback([&chosen] {
    chosen.simulate.progress = !chosen.no_progress;
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_simulate(chosen.simulate, out, err));
    };
  });
}

void add_config_check(CLI::App &config, choice &chosen) {
  CLI::App *check = config.add_subcommand("check", "Say everything that is wrong with configuration files");
  config_check_options &o = chosen.config_check;
  check->add_option("FILE", o.files, "queues.yaml files, deployments and module manifests; - is the standard input")
      ->required();
  check->add_flag("--json", o.json, "Print verdicts and reasons as JSON");
  check->add_option("--deployment", chosen.config_policies.deployment, "Modules whose policies may be named")
      ->type_name("FILE");
  check->add_option("--module-path", chosen.config_policies.module_path, "Folder of the modules")->type_name("DIR");
  check->footer(
      "Examples:\n"
      "  tenon config check queues.yaml\n"
      "  tenon config check tenon.yaml --json\n\n"
      "Exit codes: 0 every file would be accepted; 2 one is refused.");
  check->callback([&chosen] {
    chosen.run = [&chosen](std::istream &in, std::ostream &out, std::ostream &err) {
      // Without modules nobody knows their policies: unknown names are then warned about.
      if (auto policies = open_policies(chosen.config_policies)) {
        chosen.config_check.known = policies->known;
      } else if (!chosen.config_policies.deployment.empty()) {
        complain(err, policies.why());
        return static_cast<int>(exit_code::bad_input);
      }
      chosen.config_check.daemon = refusal_of_a_daemon;
      return run_config_check(chosen.config_check, in, out, err);
    };
  });
}

void add_config(CLI::App &app, choice &chosen) {
  CLI::App *config = app.add_subcommand("config", "Check configuration files and print their schemas");
  config->require_subcommand(1);
  config->footer(
      "Examples:\n"
      "  tenon config check queues.yaml\n"
      "  tenon config schema deployment\n\n"
      "`tenon config COMMAND --help` says more.");
  add_config_check(*config, chosen);
  CLI::App *schema = config->add_subcommand("schema", "Print the JSON Schema of a format, for editors");
  schema->add_option("FORMAT", chosen.schema_format, "queues (the default), deployment or module");
  schema->footer(
      "Examples:\n"
      "  tenon config schema > queues.schema.json\n"
      "  tenon config schema deployment\n\n" +
      std::string(exit_codes));
  schema->callback([&chosen] {
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &err) {
      return run_config_schema(chosen.schema_format, out, err);
    };
  });
}

void add_completion(CLI::App &app, choice &chosen) {
  CLI::App *completion = app.add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->add_option("SHELL", chosen.completion_shell, "The shell")->required()->check(CLI::IsMember({"bash"}));
  completion->footer(
      "Examples:\n"
      "  source <(tenon completion bash)\n"
      "  tenon completion bash > /etc/bash_completion.d/tenon\n\n" +
      std::string(exit_codes));
  completion->callback([&app, &chosen] {
    chosen.run = [&app](std::istream &, std::ostream &out, std::ostream &) {
      out << bash_completion(app);
      return static_cast<int>(exit_code::ok);
    };
  });
}

// What was typed and is no command or option of `at`; empty where that is not what is wrong.
std::string unknown_word(const CLI::App &at, bool is_group) {
  for (const std::string &word : at.remaining())
    if (is_group || word.starts_with('-')) return word;
  return {};
}

// With the word that was meant, where one is near.
refusal mistake(const CLI::App &at, const std::string &command, const std::string &parser_says) {
  const std::vector<const CLI::App *> commands = at.get_subcommands([](const CLI::App *) { return true; });
  const std::string word = unknown_word(at, !commands.empty());
  refusal out{command, "", parser_says, command + " --help lists what there is"};
  if (word.empty()) return out;
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::Option *one : at.get_options())
      for (const std::string &name : one->get_lnames()) known.push_back("--" + name);
  } else {
    for (const CLI::App *one : commands) known.push_back(one->get_name());
  }
  out.want = word.starts_with('-') ? "an option" : "a command";
  out.have = config::in_quotes(word);
  std::string_view near = config::closest(word, std::vector<std::string_view>(known.begin(), known.end()));
  std::vector<std::string> begun = known;  // or what was meant is longer
  std::erase_if(begun, [&](const std::string &one) { return !one.starts_with(word); });
  if (near.empty() && begun.size() == 1) near = begun.front();
  if (!near.empty()) out.fix = "did you mean " + config::in_quotes(near) + "? " + out.fix;
  return out;
}

int dispatch(int argc, const char *const *argv, std::istream &in, std::ostream &out, std::ostream &err) {
  CLI::App app("Tenon: a cluster scheduler whose policies and transports are modules", "tenon");
  choice chosen;
  app.set_version_flag("--version", "tenon " TENON_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  tenon config check queues.yaml\n"
      "  tenon scenario run tests/scenarios\n"
      "  tenon simulate --nodes 100 --pods 2000\n"
      "  tenon plugin new acme-binpack --kind node-sort\n\n" +
      std::string(exit_codes) + "\n`tenon COMMAND --help` says more.");
  add_scenario(app, chosen);
  add_simulate(app, chosen);
  add_config(app, chosen);
  add_serve_command(app, chosen.run);
  add_ctl_commands(app, chosen.run);
  add_plugin_commands(app, chosen.run);
  add_completion(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &asked) {  // --help and --version
    app.exit(asked, out, err);
    return static_cast<int>(exit_code::ok);
  } catch (const CLI::ParseError &wrong) {
    const CLI::App *at = &app;
    while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
    std::string command;
    for (const CLI::App *up = at; up != nullptr; up = up->get_parent()) {
      command = command.empty() ? up->get_name() : up->get_name() + " " + command;
    }
    complain(err, mistake(*at, command, wrong.what()));
    return static_cast<int>(exit_code::bad_input);
  }
  return chosen.run(in, out, err);
}

}  // namespace

int run_command_line(int argc, const char *const *argv, std::istream &in, std::ostream &out,
                     std::ostream &err) noexcept {
  try {
    const host::role_guard main(host::thread_role::main);
    return dispatch(argc, argv, in, out, err);
  } catch (const std::exception &e) {
    complain(err, refusal{"tenon", "", std::string("an unexpected fault: ") + e.what(), "please report it"});
    return static_cast<int>(exit_code::bad_input);
  }
}

}  // namespace tenon::cli
