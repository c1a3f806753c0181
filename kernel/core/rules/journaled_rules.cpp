// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/journaled_rules.hpp"

#include <utility>

namespace tenon::internal {

bool journaled_rules::provides(const std::string &name) {
  const step_answer *told = shared_.answers.next_of_rules();
  const bool known = told != nullptr ? told->what == step_answer::kind::rule_known && told->ok
                                     : shared_.policies.provides(module_kind::placement_rule, name);
  shared_.answers.note(step_answer::kind::rule_known, known, {});
  return known;
}

std::string journaled_rules::bind(const std::string &name, const std::string &configuration,
                                  uint32_t max_resource_types, std::unique_ptr<bound_policy> &out) {
  const step_answer *told = shared_.answers.next_of_rules();
  std::string problem;
  if (told == nullptr || (told->what == step_answer::kind::rule_bound && told->ok)) {
    auto bound = shared_.policies.bind(module_kind::placement_rule, name, configuration, max_resource_types);
    if (bound) {
      out = std::move(*bound);
    } else if (told == nullptr) {
      problem = bound.why().text();
    }
  } else {
    problem = told->what == step_answer::kind::rule_bound ? told->text
                                                          : "the journal does not say whether there is a rule " + name;
  }
  shared_.answers.note(step_answer::kind::rule_bound, problem.empty(),
                       problem.empty() ? std::string_view{} : shared_.keep(problem));
  return problem;
}

placement_request::answer journaled_rules::ask(const placement_rule &rule, placement_request &request) {
  placement_request::answer said;
  if (const step_answer *told = shared_.answers.next_of_rules(); told == nullptr) {
    ++shared_.counters.policy_calls;
    said = request.ask(rule);
  } else if (told->what == step_answer::kind::placement) {
    said = placement_request::checked(std::string(told->text), told->ok);
  } else if (told->what == step_answer::kind::placement_refused) {
    said.refused = told->text;
  } else {
    said.fault = true;
  }
  if (said.fault) {
    ++shared_.counters.policy_faults;
    shared_.answers.note(step_answer::kind::placement_fault, false, {});
  } else if (!said.refused.empty()) {
    shared_.answers.note(step_answer::kind::placement_refused, false, shared_.keep(said.refused));
  } else {
    shared_.answers.note(step_answer::kind::placement, said.qualified,
                         said.name.empty() ? std::string_view{} : shared_.keep(said.name));
  }
  return said;
}

}  // namespace tenon::internal
