// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "deployment/shadow_keys.hpp"

#include <array>

#include "deployment/isolation_keys.hpp"
#include "tenon/host/module_manifest.hpp"

namespace tenon::host {
namespace {

using config::key_spec;
using config::value_kind;

const std::array keys{
    key_spec{.key = "use",
             .kind = value_kind::text,
             .summary = "Id of the module that is asked; it may be this one, with another configuration.",
             .required = true},
    key_spec{.key = "name",
             .kind = value_kind::text,
             .summary = "Which of its implementations.",
             .fallback = "the only one of the kind, or the one that is called as this module's"},
    key_spec{.key = "config",
             .kind = value_kind::any,
             .summary = "Configuration of the shadow, on top of what the policy in force gets.",
             .fallback = "the same"},
    key_spec{.key = "isolation",
             .kind = value_kind::text,
             .summary = "Where it lives: process for processes of its own, none for the scheduler's, which is for the "
                        "project's own modules alone.",
             .fallback = "process",
             .allowed = isolation_words()},
    key_spec{.key = "call_deadline",
             .kind = value_kind::duration,
             .summary = "A call of the shadow that is not answered by then is its fault; scheduling waits so long.",
             .fallback = "100ms"},
    key_spec{.key = "faults",
             .kind = value_kind::count,
             .summary = "Faults of the shadow after which it is switched off, until its policy is bound anew.",
             .fallback = "3"},
};
const config::object_spec shadow_object{
    "shadow", "What `shadow` of a module holds: another policy that is asked the same, and decides nothing.", keys};

}  // namespace

const config::object_spec &shadow_spec() { return shadow_object; }

void read_shadow(const config::yaml_node &given, call_shadow_use &to, config::problems &report) {
  to.name = config::text_of(given, "name");
  if (const config::yaml_node *name = given.find("name"); name != nullptr && !is_policy_name(to.name))
    report.refuse(name->at, "name is " + config::in_quotes(to.name), "lower-case letters, digits and '-', at most 64");
  to.in_process = config::text_of(given, "isolation") == "none";
  to.call_deadline =
      std::chrono::milliseconds(config::duration_ms_of(given, "call_deadline", to.call_deadline.count()));
  if (to.call_deadline.count() <= 0)
    report.refuse(given.find("call_deadline")->at, "call_deadline is no time", "a duration above 0, as 100ms",
                  "leave it out for the default");
  to.faults = config::count_of(given, "faults", to.faults);
  if (to.faults == 0)
    report.refuse(given.find("faults")->at, "faults is 0", "at least 1", "leave it out for the default");
}

}  // namespace tenon::host
