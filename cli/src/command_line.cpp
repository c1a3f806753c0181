// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <functional>
#include <istream>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "completion.hpp"
#include "config/config_commands.hpp"
#include "ctl/ctl_commands.hpp"
#include "diff/diff_command.hpp"
#include "manual.hpp"
#include "plan/plan_command.hpp"
#include "plugin/plugin_commands.hpp"
#include "run/complain.hpp"
#include "run/exit_code.hpp"
#include "run/run_policies.hpp"
#include "scenario/run_command.hpp"
#include "serve/serve_command.hpp"
#include "serve/try_daemon.hpp"
#include "shadow/shadow_command.hpp"
#include "simulate_command.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "trace/trace.hpp"
#include "tune_command.hpp"
#include "whatif/snapshot_command.hpp"
#include "whatif/whatif_command.hpp"

namespace tenon::cli {
namespace {

constexpr const char *exit_codes =
    "Exit codes: 0 done; 1 the answer is no (a scenario failed); 2 bad input, nothing was done.";

// What the parser fills and the command that it chose.
struct choice {
  scenario_run_options scenario_run;
  simulate_options simulate;
  diff_options diff;
  tune_options tune;
  whatif_options whatif;
  snapshot_options snapshot;
  bool generate = false, no_progress = false;
  config_check_options config_check;
  policy_choice config_policies;
  config_plan_options config_plan;
  const CLI::App *plan_command = nullptr;
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

constexpr const char *generated_load = "Generated load";  // the group of the options that shape one

// Refuses options of another load: a trace has its own nodes and asks, and openb alone says how GPUs are divided.
std::optional<refusal> refuse_of_other_load(const CLI::App &command, const simulate_options &o) {
  if (!command.get_option("--gpu-model")->empty() && !o.trace.starts_with("openb:"))
    return refusal{"--gpu-model", "a trace openb:NODES.csv,PODS.csv", o.trace.empty() ? "no trace" : o.trace,
                   "leave --gpu-model out, or name such a trace"};
  if (o.trace.empty()) return std::nullopt;
  for (const CLI::Option *one : command.get_options()) {
    if (one->empty() || one->get_group() != generated_load) continue;
    const std::string name = one->get_name();
    return refusal{name, "an option that applies to a trace", name + " beside --trace",
                   "leave " + name + " out: a trace has its own nodes and asks; or leave --trace out"};
  }
  return std::nullopt;
}

void add_load_options(CLI::App &simulate, simulate_options &o, bool &generate, const char *generated_when) {
  simulate.add_flag("--generate", generate, generated_when);
  simulate.add_option("--trace", o.trace, "Play a trace: " + std::string(trace_forms))
      ->type_name("KIND:FILES")
      ->excludes(simulate.get_option("--generate"));
  add_choice(simulate, "--mode", o.mode, {{"fill", load_mode::fill}, {"replay", load_mode::replay}},
             "fill: everything at once; replay: in time (the default)");
  simulate.add_flag("--gpu-nodes-only", o.gpu_nodes_only, "Leave nodes without GPUs out");
  simulate
      .add_option("--seeds", o.seeds,
                  "fill: asks arrive one by one, in orders that these seeds draw; mean and spread over them")
      ->type_name("FIRST..LAST");
  simulate.add_option("--inflate", o.inflate, "Draw asks again until so many times the GPUs are asked for")
      ->type_name("RATIO")
      ->check(CLI::Range(0.01, 100.0).description(""));
  add_choice(simulate, "--gpu-model", o.gpus, {{"device", gpu_model::device}, {"sum", gpu_model::sum}},
             "openb: GPUs of a node one by one (device, the default), or only their sum");

  add_choice(simulate, "--gangs", o.gangs,
             {{"none", gang_style::none}, {"soft", gang_style::soft}, {"hard", gang_style::hard}},
             "How gangs are asked for: soft (the default), hard: with placeholders; none: worker by worker");
  simulate.add_option("--placeholder-timeout-s", o.placeholder_timeout_s, "How long a gang may wait for all of them")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30).description(""));

  generate_options &g = o.generated;
  const auto add = [&](const char *name, auto &value, const char *what, double least, double most) {
    simulate.add_option(name, value, what)
        ->check(CLI::Range(least, most).description(""))
        ->capture_default_str()
        ->group(generated_load);
  };
  simulate.add_option("--seed", g.seed, "Another seed is another load")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()).description(""))
      ->capture_default_str()
      ->group(generated_load);
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

// A journal has its own load, configuration and times. Refuses every option that would change one of them.
std::optional<refusal> refuse_beside_journal(const CLI::App &simulate) {
  if (simulate.get_option("--replay")->empty()) return std::nullopt;
  const std::vector<std::string> that_apply{"--replay",     "--record",      "--decisions",  "--explain",
                                            "--dump",       "--report",      "--beside",     "--json",
                                            "--deployment", "--module-path", "--no-progress"};
  for (const CLI::Option *one : simulate.get_options()) {
    const std::string name = one->get_name();
    if (one->empty() || std::find(that_apply.begin(), that_apply.end(), name) != that_apply.end()) continue;
    return refusal{name, "an option that applies to a journal", name + " beside --replay",
                   "leave " + name +
                       " out: a journal is played with the load and the configuration that it has. `tenon diff JOURNAL "
                       "--config-b FILE --node-sort-b NAME` plays its load under another configuration"};
  }
  return std::nullopt;
}

void add_simulate(CLI::App &app, choice &chosen) {
  CLI::App *simulate =
      app.add_subcommand("simulate", "Play a load or a journal against the real kernel in virtual time");
  simulate_options &o = chosen.simulate;
  add_load_options(*simulate, o, chosen.generate,
                   "Play a generated load; that is what is played where nothing else is named");
  simulate->add_option("--replay", o.replay, "Play a journal that --record wrote")->type_name("FILE");
  simulate->add_flag("--in-order", o.in_order, "fill: asks arrive one by one, in the order of the load")
      ->excludes(simulate->get_option("--seeds"));
  simulate->add_option("--shuffle", o.shuffle, "fill: asks arrive one by one, in an order that this seed draws")
      ->type_name("SEED")
      ->excludes(simulate->get_option("--seeds"))
      ->excludes(simulate->get_option("--in-order"));
  simulate->add_option("--name-tag", o.name_tag, "Give each ask a tag of this key with its own name")->type_name("KEY");
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
  simulate->add_option("--deployment", o.deployment, "Modules to use; which policies, the configuration says")
      ->type_name("FILE");
  simulate->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  for (const char *of_one : {"--record", "--decisions", "--explain", "--dump", "--report"}) {
    simulate->get_option("--seeds")->excludes(simulate->get_option(of_one));
  }
  simulate->footer(
      "Examples:\n"
      "  tenon simulate\n"
      "  tenon simulate --generate --seed 7 --nodes 100 --pods 2000 --node-sort binpacking\n"
      "  tenon simulate --trace openb:nodes.csv,pods.csv --mode fill --node-sort device-packing --json\n"
      "  tenon simulate --trace openb:nodes.csv,pods.csv --mode fill --gpu-nodes-only --inflate 1.3 --seeds 42..51\n"
      "  tenon simulate --trace philly:jobs.csv,machines.csv\n"
      "  tenon simulate --trace swf:CTC-SP2-1996-3.1-cln.swf\n"
      "  tenon simulate --nodes 100 --report fair.html\n"
      "  tenon simulate --nodes 100 --node-sort binpacking --report packed.html --beside fair.html\n"
      "  tenon simulate --record run.journal && tenon simulate --replay run.journal\n\n" +
      std::string(exit_codes));
  simulate->callback([&chosen, simulate] {
    chosen.simulate.progress = !chosen.no_progress;
    chosen.run = [&chosen, simulate](std::istream &, std::ostream &out, std::ostream &err) {
      for (const auto &why : {refuse_beside_journal(*simulate), refuse_of_other_load(*simulate, chosen.simulate)}) {
        if (!why) continue;
        complain(err, *why);
        return static_cast<int>(exit_code::bad_input);
      }
      return static_cast<int>(run_simulate(chosen.simulate, out, err));
    };
  });
}

void add_diff_side(CLI::App &to, const std::string &name, diff_side_options &o) {
  to.add_option("--" + name, o.deployment, "Deployment of side " + name)->type_name("DEPLOYMENT");
  to.add_option("--config-" + name, o.config, "queues.yaml of side " + name + ", in place of what was recorded")
      ->type_name("FILE");
  to.add_option("--node-sort-" + name, o.node_sort, "Node sort policy of side " + name)->type_name("NAME");
  to.add_option("--decisions-" + name, o.decisions, "Write every decision of side " + name + ", one a line")
      ->type_name("FILE");
}

void add_diff(CLI::App &app, choice &chosen) {
  CLI::App *diff = app.add_subcommand("diff", "Play the load of a journal under two deployments and compare them");
  diff_options &o = chosen.diff;
  diff->add_option("JOURNAL", o.journal, "A journal, of --record")->required();
  add_diff_side(*diff, "a", o.a);
  add_diff_side(*diff, "b", o.b);
  diff->add_option("--recorded", o.recorded, "Deployment that the journal was recorded with; else that of side a")
      ->type_name("DEPLOYMENT");
  diff->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  diff->add_option("--windows", o.windows, "Windows of equal length that figures are shown of")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  diff->add_option("--first", o.first, "How many differences are shown, the first ones")->capture_default_str();
  diff->add_option("--realign", o.realign,
                   "Each time after so many decisions of side a, what side b decides in its state")
      ->type_name("N");
  diff->add_option("--fail-if", o.fail_if, "Fail where side b is worse by more than this: 'p99(root.prod) +10%'")
      ->type_name("FIGURE");
  diff->add_option("--report", o.report, "Draw both sides as one HTML page")->type_name("FILE");
  diff->add_flag("--json", o.json, "Print everything as JSON");
  diff->footer(
      "Examples:\n"
      "  tenon diff day.journal --a today.yaml --b tomorrow.yaml\n"
      "  tenon diff day.journal --node-sort-b binpacking --report packed.html\n"
      "  tenon diff day.journal --config-b queues.yaml --fail-if 'p99(root.prod) +10%' --fail-if 'jain -0.05'\n\n"
      "Exit codes: 0 done; 1 a threshold of --fail-if is exceeded; 2 bad input, nothing was compared.");
  diff->callback([&chosen] {
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_diff(chosen.diff, out, err));
    };
  });
}

void add_tune(CLI::App &app, choice &chosen) {
  CLI::App *tune = app.add_subcommand("tune", "Try the configuration of a module on a load");
  tune_options &o = chosen.tune;
  tune->add_option("JOURNAL", o.journal, "A journal, of --record");
  tune->add_option("--module", o.module, "The module whose configuration is tried")->type_name("ID")->required();
  tune->add_option("--space", o.space, "Its keys, each with the values to try, in YAML")->type_name("FILE")->required();
  tune->add_option("--measure", o.measures, "What counts, several times for several: p99(root.prod), allocation(130)")
      ->type_name("FIGURE");
  tune->add_flag("--halving", o.halving, "Try all on an eighth of the half, the better half of them on a quarter, ...");
  tune->add_option("--jobs", o.jobs, "Runs at once; as many as there are processors unless told")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""));
  add_load_options(*tune, o.load, o.generate, "Fill the nodes of a generated load");
  tune->add_option("--config", o.load.config,
                   "queues.yaml, in place of what was recorded, or of a queue for each one of the load")
      ->type_name("FILE");
  tune->add_option("--node-sort", o.load.node_sort, "Node sort policy: fair, binpacking or a module's")
      ->type_name("NAME");
  tune->add_option("--queue", o.load.queue, "Queue of every application of the load")->type_name("PATH");
  tune->add_option("--deployment", o.load.deployment, "Modules to use, and what is usual")->type_name("FILE");
  tune->add_option("--module-path", o.load.module_path, "Folder of the modules")->type_name("DIR");
  tune->add_option("--recorded", o.recorded, "Deployment that the journal was recorded with; else that of --deployment")
      ->type_name("FILE");
  tune->add_flag("--json", o.json, "Print everything as JSON");
  tune->add_flag("--no-progress", chosen.no_progress, "Say nothing before the end");
  tune->footer(
      "Examples:\n"
      "  tenon tune day.journal --module tenon.node-binpacking --node-sort binpacking --space space.yaml\n"
      "  tenon tune day.journal --module acme.order --space space.yaml --measure 'p99(root.prod)' --measure jain\n"
      "  tenon tune --trace openb:nodes.csv,pods.csv --mode fill --seeds 42..51 --node-sort gpu-pack "
      "--module tenon.gpu-pack --space space.yaml\n\n"
      "Exit codes: 0 a better configuration was found; 1 none was; 2 bad input, nothing was tried.");
  tune->callback([&chosen, tune] {
    chosen.tune.progress = !chosen.no_progress;
    chosen.run = [&chosen, tune](std::istream &, std::ostream &out, std::ostream &err) {
      if (const auto why = refuse_of_other_load(*tune, chosen.tune.load)) {
        complain(err, *why);
        return static_cast<int>(exit_code::bad_input);
      }
      return static_cast<int>(run_tune(chosen.tune, out, err));
    };
  });
}

void add_moment(CLI::App &command, journal_moment &to) {
  command.add_option("JOURNAL", to.journal, "A journal, of --record or of snapshot")->required();
  CLI::Option *at =
      command.add_option("--at", to.at, "After so many of its commands; after all of them unless told")->type_name("N");
  command.add_option("--at-ms", to.at_ms, "At that time, Unix milliseconds")->type_name("TIME")->excludes(at);
}

void add_snapshot(CLI::App &app, choice &chosen) {
  CLI::App *snapshot = app.add_subcommand("snapshot", "Save the state at a moment of a journal");
  snapshot_options &o = chosen.snapshot;
  add_moment(*snapshot, o.moment);
  snapshot->add_option("-o,--output", o.output, "The file, with mode 0600")->type_name("FILE")->required();
  snapshot->add_flag("--replace", o.replace, "Also where the file is there already");
  snapshot->add_option("-c,--deployment", o.deployment, "Deployment that the journal was recorded with")
      ->type_name("FILE");
  snapshot->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  snapshot->footer(
      "Examples:\n"
      "  tenon snapshot day.journal --at 20000 -o noon.state\n"
      "  tenon whatif noon.state --queue root.prod --resource vcore=4\n\n"
      "Exit codes: 0 saved; 2 bad input, or a state that cannot be saved: no file.");
  snapshot->callback([&chosen] {
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_snapshot(chosen.snapshot, out, err));
    };
  });
}

void add_whatif(CLI::App &app, choice &chosen) {
  CLI::App *whatif =
      app.add_subcommand("whatif", "Say what would become of asks at a moment of a journal, or in a saved state");
  whatif_options &o = chosen.whatif;
  add_moment(*whatif, o.moment);
  o.question.add_to(*whatif);
  whatif->add_option("-c,--deployment", o.deployment, "Deployment that the journal was recorded with")
      ->type_name("FILE");
  whatif->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  whatif->add_flag("--json", o.json, "Print the answer as JSON");
  whatif->footer(
      "Examples:\n"
      "  tenon whatif day.journal --queue root.prod --resource vcore=4 memory=8Gi --count 10\n"
      "  tenon whatif day.journal --at 20000 --queue root.prod --resource vcore=4 --preempt --json\n"
      "  tenon whatif day.journal --asks question.json\n\n"
      "Exit codes: 0 all would be placed, with or without evicting others; 1 something would wait or be refused; 2 bad "
      "input, nothing was asked.");
  whatif->callback([&chosen] {
    chosen.run = [&chosen](std::istream &in, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_whatif(chosen.whatif, in, out, err));
    };
  });
}

void add_config_check(CLI::App &config, choice &chosen) {
  CLI::App *check = config.add_subcommand("check", "Say everything that is wrong with configuration files");
  config_check_options &o = chosen.config_check;
  check->add_option("FILE", o.files, "queues.yaml files, deployments and module manifests; - is the standard input")
      ->required();
  check->add_flag("--json", o.json, "Print verdicts and reasons as JSON");
  check->add_flag("--strict", o.strict, "Refuse files with warnings, too");
  check->add_option("--deployment", chosen.config_policies.deployment, "Modules whose policies may be named")
      ->type_name("FILE");
  check->add_option("--module-path", chosen.config_policies.module_path, "Folder of the modules")->type_name("DIR");
  check->footer(
      "Examples:\n"
      "  tenon config check queues.yaml\n"
      "  tenon config check tenon.yaml --json\n\n"
      "Exit codes: 0 every file would be accepted; 2 one is refused, or has a warning with --strict.");
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

void add_config_plan(CLI::App &config, choice &chosen) {
  CLI::App *plan = config.add_subcommand("plan", "Say what a queues.yaml would change, refuse and cost on reload");
  config_plan_options &o = chosen.config_plan;
  chosen.plan_command = plan;
  plan->add_option("FILE", o.file, "The queues.yaml; - is the standard input")->required();
  plan->add_option("--live,--control", o.live, "Against the state of the daemon with this control socket")
      ->type_name("SOCKET");
  plan->add_option("--policy-group", o.policy_group, "Of the daemon: the policy group whose file it is; else default")
      ->type_name("NAME");
  plan->add_option("--timeout-s", o.timeout_s, "How long to wait for the daemon")
      ->check(CLI::Range(int64_t{1}, int64_t{86'400}).description(""))
      ->capture_default_str();
  plan->add_option(
          "--journal,--replay", o.journal,
          "This journal, of --record, is played again; without --live the plan is against the state at its end")
      ->type_name("FILE");
  plan->add_option("--hours", o.hours, "Play the last hours of the journal again; all of it unless told")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  plan->add_flag("!--no-replay", o.replay, "Play nothing again");
  plan->add_option("--fail-if", o.fail_if,
                   "Fail where, played again, it is worse by more than this: 'p99(root.prod) +10%'")
      ->type_name("FIGURE");
  plan->add_option("--rm", o.rm, "Only for this resource manager")->type_name("ID");
  plan->add_option("-c,--deployment", o.deployment, "Deployment that the journal was recorded with")->type_name("FILE");
  plan->add_option("--module-path", o.module_path, "Folder of the modules")->type_name("DIR");
  plan->add_flag("--json", o.json, "Print everything as JSON");
  plan->footer(
      "Examples:\n"
      "  tenon config plan queues.yaml --live /run/tenon/control.sock\n"
      "  tenon config plan queues.yaml --journal day.journal\n"
      "  tenon config plan queues.yaml --journal day.journal --hours 4 --json\n"
      "  tenon config plan queues.yaml --journal day.journal --fail-if 'p99(root.prod) +10%'\n\n"
      "Exit codes: 0 nothing changes; 1 bad input, there is no plan; 2 something changes; 3 a reload would be refused, "
      "or something would be lost; 4 a threshold of --fail-if is exceeded.");
  plan->callback([&chosen] {
    chosen.run = [&chosen](std::istream &in, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_config_plan(chosen.config_plan, in, out, err));
    };
  });
}

void add_config(CLI::App &app, choice &chosen) {
  CLI::App *config = app.add_subcommand("config", "Check and plan configuration files, and print their schemas");
  config->require_subcommand(1);
  config->footer(
      "Examples:\n"
      "  tenon config check queues.yaml\n"
      "  tenon config plan queues.yaml --journal day.journal\n"
      "  tenon config schema deployment\n\n"
      "`tenon config COMMAND --help` says more.");
  add_config_check(*config, chosen);
  add_config_plan(*config, chosen);
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
  completion->add_option("SHELL", chosen.completion_shell, "The shell")
      ->required()
      ->check(CLI::IsMember(completion_shells()));
  completion->footer(
      "Examples:\n"
      "  source <(tenon completion bash)\n"
      "  tenon completion zsh > ~/.zfunc/_tenon\n"
      "  tenon completion fish > ~/.config/fish/completions/tenon.fish\n\n" +
      std::string(exit_codes));
  completion->callback([&chosen] {
    chosen.run = [&chosen](std::istream &, std::ostream &out, std::ostream &) {
      out << completion_script(chosen.completion_shell);
      return static_cast<int>(exit_code::ok);
    };
  });
  CLI::App *manual = app.add_subcommand("manual", "Print the manual page of all commands");
  manual->footer("Examples:\n  tenon manual | man -l -\n\n" + std::string(exit_codes));
  manual->callback([&app, &chosen] {
    chosen.run = [&app](std::istream &, std::ostream &out, std::ostream &) {
      out << manual_page(app, TENON_VERSION);
      return static_cast<int>(exit_code::ok);
    };
  });
}

// Returns the command's first example that has arguments or options, for a remedy. Empty if there is none.
std::string example_of(const CLI::App &command, const std::string &name) {
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  " + name + " ")) return "as `" + line.substr(2) + "`; ";
  }
  return {};
}

std::string one_of(const std::vector<std::string> &words) {
  std::string out;
  for (const std::string &one : words) out += (out.empty() ? "one of: " : ", ") + one;
  return out;
}

// The command that does what other programs call by this word.
std::string_view elsewhere(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"cancel", "kill"}, {"cordon", "drain"},     {"delete", "kill"},   {"describe", "explain"},
      {"jobs", "apps"},   {"log", "events"},       {"logs", "events"},   {"status", "health"},
      {"top", "queues"},  {"uncordon", "undrain"}, {"validate", "check"}};
  for (const auto &[theirs, ours] : words)
    if (theirs == word) return ours;
  return {};
}

// With the word that was meant, where one is near.
void unknown(refusal &out, const std::string &word, const std::vector<std::string> &known) {
  out.have = config::in_quotes(word);
  const std::string_view close = config::closest(word, std::vector<std::string_view>(known.begin(), known.end()));
  std::string near(close);
  std::vector<std::string> begun = known;  // or letters are missing at the end
  std::erase_if(begun, [&](const std::string &one) { return word.size() < 3 || !one.starts_with(word); });
  std::sort(begun.begin(), begun.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
  if (!begun.empty()) near = begun.front();
  if (std::find(known.begin(), known.end(), elsewhere(word)) != known.end()) near = elsewhere(word);
  if (!near.empty()) out.fix = "did you mean " + config::in_quotes(near) + "? " + out.fix;
}

// The last words of a text: what stands behind `before`.
std::string behind(const std::string &text, std::string_view before) {
  return text.substr(text.find(before) + before.size());
}

// The parts of what the parser says of a value: "--type: APPS not in {SYSTEM,APP}", "Could not convert: --count = x",
// "--nodes: Value x not in range 1 to 5", "--a requires --b", "--a excludes --b", "--record: 1 required FILE missing",
// "--nodes: At Most 1 required but received 2".
void take_apart(refusal &out, const CLI::App &at, const std::string &command, const CLI::ParseError &wrong,
                const std::string &help) {
  const std::string words = wrong.what(), kind = wrong.get_name();
  const size_t colon = words.find(": ");
  constexpr std::string_view out_of_range = " not in range ", requires_other = " requires ", excludes = " excludes ";
  const bool is_extra = wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (is_extra && colon != std::string::npos) {
    out.want = "options behind the command that they are for";
    out.have.clear();
    std::istringstream unexpected(words.substr(colon + 2));  // the last one first
    for (std::string one; unexpected >> one;) out.have = one + (out.have.empty() ? "" : " ") + out.have;
    out.fix = "write them at the end; " + help;
  } else if (kind == "RequiresError" && words.find(requires_other) != std::string::npos) {
    const std::string other = behind(words, requires_other), one = words.substr(0, words.find(requires_other));
    out.want = other + " beside " + one;
    out.have = one + " alone";
    out.fix = "add " + other + ", or leave " + one + " out; " + help;
  } else if (kind == "ExcludesError" && words.find(excludes) != std::string::npos) {
    const std::string other = behind(words, excludes), one = words.substr(0, words.find(excludes));
    out.want = "one of " + one + " and " + other;
    out.have = "both";
    out.fix = "leave one of them out; " + help;
  } else if (kind == "RequiredError") {
    out.want = words.substr(0, words.find(' '));
    out.have = "none";
    out.fix = "name it, " + example_of(at, command) + help;
  } else if (kind == "ArgumentMismatch" && colon != std::string::npos) {
    const std::string name = words.substr(0, colon);
    const bool is_missing = words.ends_with(" missing");
    out.want = is_missing ? name + " with a value" : name + " once";
    out.have = is_missing ? name + " alone" : name + " several times";
    out.fix = (is_missing ? "write its value after it; " : "keep one of them; ") + help;
  } else if (kind == "ConversionError" && colon != std::string::npos) {
    const std::string name = words.substr(colon + 2, words.find(' ', colon + 2) - colon - 2);
    const CLI::Option *option = at.get_option_no_throw(name);
    if (option != nullptr && option->get_expected_max() == 0) {
      out.want = name + " alone";
      out.have = "a value";
      out.fix = "leave the value out; " + help;
      return;
    }
    out.want = name + ": a number";
    out.have = words.substr(words.rfind(' ') + 1);
    out.fix = "write it in digits; " + help;
  } else if (kind == "ValidationError" && colon != std::string::npos) {
    out.want = words.substr(0, colon) + ": a value that it takes";
    out.have = words.substr(colon + 2);
    for (size_t zeros; (zeros = out.have.find(".000000")) != std::string::npos;) out.have.erase(zeros, 7);
    out.fix = "write one; " + help;
    if (const size_t range = out.have.find(out_of_range); range != std::string::npos) {
      out.want = words.substr(0, colon) + ": a number from " + behind(out.have, out_of_range);
      out.have = config::in_quotes(behind(out.have.substr(0, range), "Value "));
      out.fix = "write such a number; " + help;
    }
    const CLI::Option *option = at.get_option_no_throw(words.substr(0, colon));
    const std::vector<std::string> known = option == nullptr ? std::vector<std::string>() : words_of(*option);
    if (known.empty()) return;
    out.want = words.substr(0, colon) + ": " + one_of(known);
    unknown(out, out.have.substr(0, out.have.find(' ')), known);
  }
}

refusal mistake(const CLI::App &at, const std::string &command, const CLI::ParseError &wrong) {
  const std::string help = command + " --help lists what there is";
  refusal out{command, "", wrong.what(), help};
  const std::vector<std::string> words = at.remaining();
  std::vector<std::string> commands, options;
  for (const CLI::App *one : at.get_subcommands([](const CLI::App *) { return true; }))
    commands.push_back(one->get_name());
  for (const CLI::Option *one : at.get_options())
    for (const std::string &name : one->get_lnames()) options.push_back("--" + name);
  const auto option = std::find_if(words.begin(), words.end(), [](const auto &one) { return one.starts_with('-'); });
  if (!commands.empty()) {
    out.want = one_of(commands);
    out.have = "no command";
    const auto takes_it = [&](const CLI::App *one) { return one->get_option_no_throw(words.front()) != nullptr; };
    if (words.empty() || !at.get_subcommands(takes_it).empty()) {
      out.fix = example_of(at, command) + help;
    } else {
      unknown(out, words.front(), option == words.begin() ? options : commands);
    }
  } else if (option != words.end()) {
    out.want = "an option";
    unknown(out, *option, options);
  } else if (!words.empty()) {
    out.want = "nothing more";
    out.have = config::in_quotes(words.front());
    out.fix = "leave it out; " + example_of(at, command) + help;
  } else {
    take_apart(out, at, command, wrong, help);
  }
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
  add_diff(app, chosen);
  add_tune(app, chosen);
  add_whatif(app, chosen);
  add_snapshot(app, chosen);
  add_config(app, chosen);
  add_serve_command(app, chosen.run);
  add_shadow_command(app, chosen.run);
  add_ctl_commands(app, chosen.run);
  add_plugin_commands(app, chosen.run);
  add_completion(app, chosen);
  if (argc > 1 && std::string_view(argv[1]) == "complete") {  // for completion scripts: tenon complete -- WORDS...
    out << completions(app, {argv + std::min(argc, 3), argv + argc});
    return static_cast<int>(exit_code::ok);
  }
  try {
    std::vector<std::string> words = in_order_of_commands({argv + std::min(argc, 1), argv + argc});
    std::reverse(words.begin(), words.end());  // as the parser takes them
    app.parse(std::move(words));
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
    complain(err, mistake(*at, command, wrong));
    // 2 means there that something changes.
    if (at == chosen.plan_command) return static_cast<int>(plan_exit::failed);
    return static_cast<int>(exit_code::bad_input);
  }
  return chosen.run(in, out, err);
}

}  // namespace

int run_command_line(int argc, const char *const *argv, std::istream &in, std::ostream &out,
                     std::ostream &err) noexcept {
  try {
    const host::role_guard main(host::thread_role::main);
    const int code = dispatch(argc, argv, in, out, err);
    if (out.flush()) return code;
    complain(err, refusal{"standard output", "somewhere that takes what is printed", "writing failed",
                          "see that the disk has room, or that its reader reads to the end"});
    return code == static_cast<int>(exit_code::ok) ? static_cast<int>(exit_code::failed) : code;
  } catch (const std::exception &e) {
    complain(err, refusal{"tenon", "", std::string("an unexpected fault: ") + e.what(), "please report it"});
    return static_cast<int>(exit_code::bad_input);
  }
}

}  // namespace tenon::cli
