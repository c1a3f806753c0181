// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/verify_command.hpp"

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "plugin/checks_library.hpp"
#include "run/complain.hpp"
#include "run/exit_code.hpp"
#include "run/output_file.hpp"

namespace tenon::cli {
namespace {

struct verify_choice {
  conformance::verify_options what;
  std::string manifest, switches, client, configuration, junit;
  int64_t limit_ms = 10'000;
  bool json = false, list = false, verbose = false;
};

void print_list(const conformance::library &checks, bool as_json, std::ostream &out) {
  boost::json::array all;
  for (const conformance::check_entry &c : checks.all_checks()) {
    if (as_json) {
      all.push_back(boost::json::object{{"id", c.id},
                                        {"sentence", c.sentence},
                                        {"category", c.category},
                                        {"kinds", c.kinds},
                                        {"needs", c.needs},
                                        {"long", c.long_run}});
      continue;
    }
    out << c.id << "  (" << c.category << "; " << c.kinds << (c.long_run ? "; --long" : "") << ")\n  " << c.sentence
        << '\n';
  }
  if (as_json) out << boost::json::serialize(all) << '\n';
}

int run_verify(verify_choice &o, std::ostream &out, std::ostream &err) {
  const auto checks = open_checks();
  if (!checks) {
    complain(err, checks.why());
    return static_cast<int>(exit_code::bad_input);
  }
  const conformance::library &lib = **checks;
  if (o.list) {
    print_list(lib, o.json, out);
    return static_cast<int>(exit_code::ok);
  }
  if (o.manifest.empty()) {
    complain(err, refusal{"tenon plugin verify", "MANIFEST", "none is given", "name the module's manifest"});
    return static_cast<int>(exit_code::bad_input);
  }
  o.what.manifest = o.manifest;
  o.what.switches = o.switches;
  o.what.client = o.client;
  o.what.configuration = o.configuration;
  o.what.limit = std::chrono::milliseconds(o.limit_ms);
  if (!o.json) {
    o.what.on_result = [&](const conformance::check_result &r) {
      if (r.bad() || o.verbose || r.how == conformance::outcome::switched_off)
        out << lib.as_text(r, o.what.manifest) << std::flush;
    };
  }
  const auto report = lib.verify(o.what);
  if (!report) {
    complain(err, report.why());
    return static_cast<int>(exit_code::bad_input);
  }
  if (!o.junit.empty()) {
    if (auto no = write_file(o.junit, lib.as_junit(*report))) {
      complain(err, *no);
      return static_cast<int>(exit_code::bad_input);
    }
  }
  out << (o.json ? lib.as_json(*report) + "\n" : lib.summary(*report));
  return static_cast<int>(report->good() ? exit_code::ok : exit_code::failed);
}

}  // namespace

void add_verify(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *verify = plugin.add_subcommand("verify", "Prove that a module behaves: run the conformance checks on it");
  auto o = std::make_shared<verify_choice>();
  verify->add_option("MANIFEST", o->manifest, "The module's manifest; its library lies beside it");
  verify->add_flag("--list", o->list, "Say which checks there are, and run none");
  verify->add_option("--filter", o->what.filter, "Only checks whose id has this regular expression")->type_name("RE");
  verify->add_flag("--long", o->what.long_run, "Also the checks that take minutes");
  verify->add_option("--seed", o->what.seed, "Other data")->capture_default_str();
  verify->add_option("--reproduce", o->what.reproduce, "One check with the seed that a report names, in this process")
      ->type_name("ID@SEED");
  verify->add_flag("--in-process", o->what.in_process, "No process for each check, and no limit: for a debugger");
  verify->add_option("--limit-ms", o->limit_ms, "How long a check may take before it is killed")
      ->check(CLI::Range(int64_t{50}, int64_t{3'600'000}).description(""))
      ->capture_default_str();
  verify
      ->add_option("--off", o->switches, "Checks that are off, each with a reason (default: tenon-verify.yaml beside)")
      ->type_name("FILE");
  verify->add_option("--client", o->client, "A library that speaks a transport's protocol as RMs do")
      ->type_name("FILE");
  verify->add_option("--config", o->configuration, "A YAML file with the configuration of what is verified")
      ->type_name("FILE");
  verify->add_option("--user", o->what.users, "A user that a source of groups finds; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verify->add_flag("--verbose", o->verbose, "Name every check, not only those that fail");
  verify->add_flag("--json", o->json, "Print the report as JSON");
  verify->add_option("--junit", o->junit, "Write the report as JUnit XML")->type_name("FILE");
  verify->footer(
      "Examples:\n"
      "  tenon plugin verify build/acme-binpack.yaml\n"
      "  tenon plugin verify build/acme-binpack.yaml --filter '^answers-' --verbose\n"
      "  tenon plugin verify build/acme-binpack.yaml --junit verify.xml --off tenon-verify.yaml\n"
      "  tenon plugin verify --list\n\n"
      "Exit codes: 0 every check passed; 1 one did not; 2 bad input, nothing was done.");
  verify->callback([o, &chosen] {
    chosen = [o](std::istream &, std::ostream &out, std::ostream &err) { return run_verify(*o, out, err); };
  });
}

}  // namespace tenon::cli
