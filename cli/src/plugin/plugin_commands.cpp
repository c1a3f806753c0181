// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "plugin/plugin_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "plugin/describe_command.hpp"
#include "plugin/install_command.hpp"
#include "plugin/lint_command.hpp"
#include "plugin/list_command.hpp"
#include "plugin/lock_command.hpp"
#include "plugin/new_command.hpp"
#include "plugin/pack_command.hpp"
#include "plugin/replay_command.hpp"
#include "plugin/verify_command.hpp"

namespace tenon::cli {
namespace {

constexpr const char *exit_codes =
    "Exit codes: 0 done; 1 the answer is no (a module is refused); 2 bad input, nothing was done.";

template <class Command>
void when_chosen(CLI::App &command, chosen_command &chosen, Command run) {
  command.callback([&chosen, run] {
    chosen = [run](std::istream &, std::ostream &out, std::ostream &err) { return static_cast<int>(run(out, err)); };
  });
}

void add_look(CLI::App &to, survey_options &look) {
  to.add_option("--module-path", look.module_path, "Folder of modules that is searched besides")->type_name("DIR");
}

void add_new(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command = plugin.add_subcommand("new", "Make the project of a policy: builds and passes as it comes");
  auto o = std::make_shared<plugin_new_options>();
  command->add_option("ID", o->id, "Vendor and policy, as acme-binpack")->required();
  command
      ->add_option("--kind", o->kind,
                   "queue-sort, app-sort, node-sort, predicate, placement-rule, identity, event-sink or transport")
      ->required();
  command->add_option("--lang,--language", o->language, "c++, c or rust")->capture_default_str();
  command->add_option("--directory", o->directory, "Where to make it, in place of here")->type_name("DIR");
  command->add_option("--templates", o->templates, "Templates, in place of the installed ones")->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  tenon plugin new acme-binpack --kind node-sort\n"
      "  tenon plugin new acme-zones --kind predicate --lang c\n"
      "  tenon plugin new acme-teams --kind placement-rule --lang rust\n\n" +
      std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return new_plugin(*o, out, err); });
}

void add_lint(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command = plugin.add_subcommand("lint", "Say what a host would refuse, without running any of it");
  auto o = std::make_shared<plugin_lint_options>();
  command->add_option("FILE", o->files, "Manifests, or libraries (.so) alone")->required();
  command->add_flag("--json", o->json, "Print verdicts and reasons as JSON");
  command->footer("Examples:\n  tenon plugin lint build/acme-binpack.yaml\n\n" + std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return lint_plugins(*o, out, err); });
}

void add_list(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command = plugin.add_subcommand("list", "List the modules that are found; opens none");
  auto o = std::make_shared<plugin_list_options>();
  command->add_option("--deployment", o->look.deployment, "As this deployment sees them")->type_name("FILE");
  add_look(*command, o->look);
  command->add_flag("--json", o->json, "Print them as JSON");
  command->footer("Examples:\n  tenon plugin list\n  tenon plugin list --deployment tenon.yaml --json\n\n" +
                  std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return list_plugins(*o, out, err); });
}

void add_explain(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("explain", "Say which module serves what and why, and which are refused and why");
  auto o = std::make_shared<plugin_list_options>();
  command->add_option("DEPLOYMENT", o->look.deployment, "The deployment; without it the built-in one");
  command->add_option("--queues", o->look.queues, "queues.yaml files besides those of policy_groups")
      ->type_name("FILE");
  add_look(*command, o->look);
  command->add_flag("--json", o->json, "Print it as JSON");
  command->footer(
      "Examples:\n  tenon plugin explain tenon.yaml\n  tenon plugin explain tenon.yaml --queues queues.yaml "
      "--json\n\n" +
      std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return explain_plugins(*o, out, err); });
}

void add_describe(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("describe", "Say what a module provides, which options it takes and what it asks for");
  auto o = std::make_shared<plugin_describe_options>();
  command->add_option("ID", o->id, "The module, as tenon.sqlite")->required();
  command->add_option("--deployment", o->deployment, "As this deployment sees it")->type_name("FILE");
  command->add_option("--module-path", o->module_path, "Folder of modules that is searched besides")->type_name("DIR");
  command->add_flag("--json", o->json, "Print it as JSON");
  command->footer(
      "Examples:\n  tenon plugin describe tenon.sqlite\n  tenon plugin describe acme.binpack --deployment "
      "tenon.yaml\n\n"
      "Exit codes: 0 done; 1 there is no such module; 2 bad input, nothing was done.");
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return describe_plugin(*o, out, err); });
}

void add_lock(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command = plugin.add_subcommand(
      "lock", "Pin digests, versions, interfaces and behaviour revisions of a deployment's modules beside it");
  auto o = std::make_shared<plugin_lock_options>();
  command->add_option("DEPLOYMENT", o->look.deployment, "The deployment; its lock is DEPLOYMENT.lock")->required();
  command->add_option("--queues", o->look.queues, "queues.yaml files besides those of policy_groups")
      ->type_name("FILE");
  add_look(*command, o->look);
  command->add_flag("--check", o->check, "Write nothing, say whether the lock is up to date");
  command->footer("Examples:\n  tenon plugin lock tenon.yaml\n  tenon plugin lock tenon.yaml --check\n\n" +
                  std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return lock_plugins(*o, out, err); });
}

void add_seal(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("seal", "Write a library's digest into its manifest, as tenon_add_module does");
  auto file = std::make_shared<std::string>();
  command->add_option("MANIFEST", *file, "The manifest; its library lies beside it")->required();
  command->footer("Examples:\n  tenon plugin seal acme-binpack.yaml\n\n" + std::string(exit_codes));
  when_chosen(*command, chosen, [file](std::ostream &out, std::ostream &err) { return seal_plugin(*file, out, err); });
}

void add_pack(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("pack", "Write one file with library, manifest, licence, digests, build id and signature");
  auto o = std::make_shared<plugin_pack_options>();
  command->add_option("MANIFEST", o->from.manifest, "The sealed manifest; its library lies beside it")->required();
  command->add_option("--license", o->from.license, "Text of the licence (default: LICENSE or COPYING beside)")
      ->type_name("FILE");
  command->add_option("--key", o->from.key, "Private Ed25519 key, as PEM, that signs the pack")->type_name("FILE");
  command->add_option("--output", o->output, "The pack (default: ID-VERSION.tar)")->type_name("FILE");
  command->footer(
      "Examples:\n  tenon plugin pack build/acme-binpack.yaml --license LICENSE\n"
      "  tenon plugin pack build/acme-binpack.yaml --license LICENSE --key acme.pem\n\n" +
      std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return pack_plugin(*o, out, err); });
}

void add_place(CLI::App &to, install_place &place) {
  to.add_option("--module-path", place.module_path, "Folder of modules; made where it is missing")->type_name("DIR");
  to.add_option("--deployment", place.deployment, "Into the module_path of this deployment, which is compared")
      ->type_name("FILE");
}

void add_install(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("install", "Put the module of a pack beside its other versions, and in use");
  auto o = std::make_shared<plugin_install_options>();
  command->add_option("FILE", o->pack, "The pack, as `tenon plugin pack MANIFEST` writes it")->required();
  add_place(*command, o->to);
  command->add_option("--key", o->key, "The vendor's public Ed25519 key, as PEM: the pack must be signed by it")
      ->type_name("FILE");
  command->add_flag("--no-verify", o->unverified, "Leave out the checks of `tenon plugin verify`");
  command->footer(
      "Examples:\n  tenon plugin install acme.binpack-1.2.0.tar --deployment tenon.yaml\n"
      "  tenon plugin install acme.binpack-1.2.0.tar --module-path modules --key acme.pub\n\n" +
      std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return install_plugin(*o, out, err); });
}

void add_rollback(CLI::App &plugin, chosen_command &chosen) {
  CLI::App *command =
      plugin.add_subcommand("rollback", "Put the version of a module in use that was in use before, or another one");
  auto o = std::make_shared<plugin_rollback_options>();
  command->add_option("ID", o->id, "The module, as acme.binpack")->required();
  command->add_option("--to", o->version, "This version, in place of the one before")->type_name("VERSION");
  add_place(*command, o->in);
  command->footer(
      "Examples:\n  tenon plugin rollback acme.binpack --deployment tenon.yaml\n"
      "  tenon plugin rollback acme.binpack --to 1.1.0 --module-path modules\n\n" +
      std::string(exit_codes));
  when_chosen(*command, chosen, [o](std::ostream &out, std::ostream &err) { return roll_back_plugin(*o, out, err); });
}

}  // namespace

void add_plugin_commands(CLI::App &app, chosen_command &chosen) {
  CLI::App *plugin = app.add_subcommand("plugin", "Make, check, pack, install, pin and explain modules");
  plugin->require_subcommand(1);
  plugin->footer(
      "Examples:\n"
      "  tenon plugin new acme-binpack --kind node-sort\n"
      "  tenon plugin list --deployment tenon.yaml\n\n"
      "`tenon plugin COMMAND --help` says more.");
  add_new(*plugin, chosen);
  add_lint(*plugin, chosen);
  add_verify(*plugin, chosen);
  add_replay(*plugin, chosen);
  add_list(*plugin, chosen);
  add_describe(*plugin, chosen);
  add_explain(*plugin, chosen);
  add_lock(*plugin, chosen);
  add_seal(*plugin, chosen);
  add_pack(*plugin, chosen);
  add_install(*plugin, chosen);
  add_rollback(*plugin, chosen);
}

}  // namespace tenon::cli
