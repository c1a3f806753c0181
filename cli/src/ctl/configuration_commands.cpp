// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/configuration_commands.hpp"

#include <ostream>

#include "ctl/answer_fields.hpp"
#include "run/text_table.hpp"
#include "tenon/text/utc.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using namespace answer_fields;

struct configuration_options : ctl_options {
  std::string policy_group;
  bool as_text = false, forced = false;
};

// "3, in place of 1"
std::string revision_text(const json::object &one) {
  const bool sent = !text(one, "sent_by").empty();
  return count(one, "revision") + (sent ? ", in place of " + count(one, "instead_of") : "");
}

std::string source_text(const json::object &one) {
  const std::string state = text(one, "source_state");
  if (state == "the same") return text(one, "source");  // a value of the answer
  return text(one, "source") + ", " + state + (state == "changed" ? " since" : "");
}

void print_configurations(const json::object &result, std::ostream &out) {
  const json::array &all = result.at("configurations").as_array();
  // A text alone, as it can be written to a file.
  if (all.size() == 1 && all.front().as_object().contains("text")) {
    out << text(all.front().as_object(), "text");
    return;
  }
  table rows({{"POLICY GROUP"}, {"RM"}, {"REVISION"}, {"SINCE"}, {"SENT BY"}, {"KEPT"}, {"FILE"}});
  for (const json::value &value : all) {
    const json::object &one = value.as_object();
    const bool sent = !text(one, "sent_by").empty();
    rows.add({text(one, "policy_group"), or_none(text(one, "rm")), revision_text(one),
              utc_text_in_seconds(number(one, "since_ms")), or_none(text(one, "sent_by")),
              !sent              ? "-"
              : yes(one, "kept") ? "yes"
                                 : "until a restart",
              source_text(one)});
  }
  rows.print(out);
}

void print_reloaded(const json::object &result, std::ostream &out) {
  out << "reloaded\n";
  if (const json::value *plans = result.if_contains("plans"))  // of a daemon that has them
    for (const json::value &one : plans->as_array()) {
      const json::object &plan = one.as_object();
      if (plans->as_array().size() > 1) out << "RM " << text(plan, "rm") << '\n';
      out << text(plan, "text");
    }
  const json::value *warnings = result.if_contains("warnings");  // of a daemon that has them
  if (warnings == nullptr) return;
  for (const json::value &one : warnings->as_array()) out << "warning: " << std::string(one.as_string()) << '\n';
}

}  // namespace

void add_configuration_commands(ctl_group &group) {
  auto o = std::make_shared<configuration_options>();
  const auto which = [](const configuration_options &given, json::object &request) {
    put(request, "policy_group", given.policy_group);
    put(request, "rm", given.name);
    if (given.as_text) request["text"] = true;
  };
  CLI::App *config = group.add(
      "config", "Which configurations are in force, who sent them, and whether their files have changed", o,
      print_configurations, [which, o](const ctl_options &, json::object &request) { which(*o, request); },
      "  tenon ctl config\n  tenon ctl config default --text > queues.yaml\n");
  config->add_option("GROUP", o->policy_group, "Only of this policy group");
  config->add_option("--rm", o->name, "Only what was sent for this resource manager")->type_name("NAME");
  config->add_flag("--text", o->as_text, "Print the text that is in force");

  o = std::make_shared<configuration_options>();
  CLI::App *reload = group.add(
      "reload", "Read the queue files again: all of them, or nothing changes", o, print_reloaded,
      [o](const ctl_options &, json::object &request) {
        put(request, "policy_group", o->policy_group);
        if (o->forced) request["forced"] = true;
      },
      "  tenon ctl reload\n  tenon ctl reload --group batch\n  tenon ctl reload -c /etc/tenon/tenon.yaml\n");
  reload->add_option("--group", o->policy_group, "Only of this policy group")->type_name("NAME");
  reload->add_flag("--force", o->forced,
                   "Also in place of configurations that people sent since the files were written");
}

}  // namespace tenon::cli
