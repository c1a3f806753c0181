// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/ctl_snapshot_command.hpp"

#include <ostream>

#include "control/base64.hpp"
#include "ctl/answer_fields.hpp"
#include "run/complain.hpp"
#include "run/private_file.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

struct snapshot_request {
  control_choice choice;
  std::string output;
  bool replace = false, as_json = false;
};

int complain_of(const refusal &why, exit_code code, std::ostream &err) {
  complain(err, why);
  return static_cast<int>(code);
}

int save_state(const snapshot_request &o, std::ostream &out, std::ostream &err) {
  // Before the scheduler takes time for it.
  if (const auto why = cannot_be_written(o.output, o.replace)) return complain_of(*why, exit_code::bad_input, err);
  control_client client(o.choice);
  control_answer answer = client.ask({{"command", "snapshot"}});
  if (const auto *no = std::get_if<no_answer>(&answer)) return complain_of(no->why, no->code, err);
  auto &result = std::get<json::object>(answer);
  const auto bytes = bytes_of_base64(result.at("state").as_string());
  if (!bytes || bytes->size() != result.at("bytes").to_number<uint64_t>())
    return complain_of({"answer", "a state in base64", "something else", "use the tenon of this daemon"},
                       exit_code::unreachable, err);
  if (const auto why = write_private_file(o.output, *bytes, o.replace))
    return complain_of(*why, exit_code::bad_input, err);
  if (o.as_json) {
    result.erase("state");
    result["file"] = o.output;
    out << json::serialize(result) << '\n';
  } else {
    out << o.output << ": " << bytes->size() << " bytes\n";
  }
  return static_cast<int>(exit_code::ok);
}

}  // namespace

void add_snapshot_command(ctl_group &group) {
  const auto o = std::make_shared<snapshot_request>();
  CLI::App *snapshot = group.plain("snapshot", "Save all of the state as a file, for tenon whatif", o->choice,
                                   "  tenon ctl snapshot -o now.state\n"
                                   "  tenon whatif now.state --queue root.prod --resource vcore=4\n");
  snapshot->add_option("-o,--output", o->output, "The file, with mode 0600")->type_name("FILE")->required();
  snapshot->add_flag("--replace", o->replace, "Also where the file is there already");
  snapshot->add_flag("--json", o->as_json, "Print what was saved as JSON");
  snapshot->callback([chosen = &group.chosen(), o] {
    *chosen = [o](std::istream &, std::ostream &out, std::ostream &err) { return save_state(*o, out, err); };
  });
}

}  // namespace tenon::cli
