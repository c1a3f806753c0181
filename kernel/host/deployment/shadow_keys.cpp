// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "deployment/parts.hpp"

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

void read_shadow(const key_reader &given, call_shadow_use &to) {
  given.module_id("use", to.use);
  to.at = given.find("use")->at;
  given.policy_name("name", to.name);
  std::string isolation;
  given.text("isolation", isolation);
  to.in_process = isolation == "none";
  given.duration("call_deadline", to.call_deadline);
  given.count("faults", to.faults, 1, UINT64_MAX);
}

}  // namespace tenon::host
