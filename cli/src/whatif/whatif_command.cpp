// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "whatif/whatif_command.hpp"

#include <ostream>

#include "run/complain.hpp"
#include "run/run_policies.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/observe/what_if_json.hpp"
#include "whatif/journal_moment.hpp"

namespace tenon::cli {
namespace {

result<observe::what_if_answer> answer(const whatif_options &options, std::istream &in, std::ostream &err) {
  const auto given = options.question.make(in);
  if (!given) return given.why();
  auto question = observe::read_question(*given);
  if (!question) return question.why();
  if (options.moment.at_ms) question->now_ms = *options.moment.at_ms;
  auto policies = open_policies({options.deployment, options.module_path});
  if (!policies) return policies.why();
  const host::role_guard cycle(host::thread_role::cycle);
  const auto state = kernel_at(options.moment, *policies, err);
  if (!state) return state.why();
  return observe::answer_what_if(**state, *question);
}

}  // namespace

exit_code run_whatif(const whatif_options &options, std::istream &in, std::ostream &out, std::ostream &err) {
  const auto said = answer(options, in, err);
  if (!said) {
    complain(err, said.why());
    return exit_code::bad_input;
  }
  const boost::json::object written = observe::answer_json(*said);
  if (options.json) {
    out << boost::json::serialize(written) << '\n';
  } else {
    out << said->text;
  }
  return written.at("all_placed").as_bool() ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
