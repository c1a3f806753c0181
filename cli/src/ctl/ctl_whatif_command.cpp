// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl_whatif_command.hpp"

#include <istream>
#include <ostream>
#include <utility>

#include "ctl/answer_fields.hpp"
#include "run/complain.hpp"
#include "whatif/question_options.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

struct whatif_request {
  control_choice choice;
  question_options question;
  bool as_json = false;
};

int ask_what_if(const whatif_request &o, std::istream &in, std::ostream &out, std::ostream &err) {
  auto request = o.question.make(in);
  if (!request) {
    complain(err, request.why());
    return static_cast<int>(exit_code::bad_input);
  }
  (*request)["command"] = "whatif";
  control_client client(o.choice);
  const control_answer answer = client.ask(std::move(*request));
  if (const auto *no = std::get_if<no_answer>(&answer)) {
    complain(err, no->why);
    return static_cast<int>(no->code == exit_code::failed ? exit_code::bad_input : no->code);
  }
  const auto &result = std::get<json::object>(answer);
  if (o.as_json) {
    out << json::serialize(result) << '\n';
  } else {
    out << answer_fields::text(result, "text");
  }
  return static_cast<int>(result.at("all_placed").as_bool() ? exit_code::ok : exit_code::failed);
}

}  // namespace

void add_whatif_command(ctl_group &group) {
  const auto o = std::make_shared<whatif_request>();
  CLI::App *whatif =
      group.plain("whatif", "What would become of asks: placed where, evicting whom, or waiting for what", o->choice,
                  "  tenon ctl whatif --queue root.prod --resource vcore=4 memory=8Gi --count 10\n"
                  "  tenon ctl whatif --queue root.prod --resource vcore=4 --preempt --json\n"
                  "  tenon ctl whatif --asks question.json\n");
  o->question.add_to(*whatif);
  whatif->add_flag("--json", o->as_json, "Print the answer as JSON");
  whatif->footer(whatif->get_footer() +
                 "\nHere 1 says that something would wait or be refused, and 2 also that the daemon says no.");
  whatif->callback([chosen = &group.chosen(), o] {
    *chosen = [o](std::istream &in, std::ostream &out, std::ostream &err) { return ask_what_if(*o, in, out, err); };
  });
}

}  // namespace tenon::cli
