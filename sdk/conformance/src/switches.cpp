// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "switches.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <vector>

#include "catalogue.hpp"
#include "tenon/config/shape.hpp"

namespace tenon::conformance {
namespace {

using config::key_spec;
using config::value_kind;

constexpr std::array off_keys{
    key_spec{.key = "id", .kind = value_kind::text, .summary = "The check.", .required = true},
    key_spec{.key = "reason", .kind = value_kind::text, .summary = "Why it is off.", .required = true},
};
constexpr config::object_spec off_object{"off entry", "A check that does not run.", off_keys};
constexpr std::array<std::string_view, 1> versions{"tenon.verify/v1"};
constexpr std::array file_keys{
    key_spec{.key = "apiVersion",
             .kind = value_kind::text,
             .summary = "Format of this file.",
             .allowed = versions,
             .required = true},
    key_spec{.key = "off", .kind = value_kind::object_list, .summary = "Checks that are off.", .object = &off_object},
};
constexpr config::object_spec file_object{"verify file", "The top of the text.", file_keys};

void read_entry(const config::yaml_node &item, reasons_by_id &out, config::problems &report) {
  const std::string id = config::text_of(item, "id"), reason = config::text_of(item, "reason");
  if (find_check(id) == nullptr) {
    std::vector<std::string_view> known;
    for (const check &c : catalogue()) known.push_back(c.id);
    const auto near = config::closest(id, known);
    report.refuse(
        item.find("id")->at, "there is no check " + config::in_quotes(id), "the id of a check",
        near.empty() ? "`tenon plugin verify --list` names them" : "did you mean " + config::in_quotes(near) + "?");
  }
  if (reason.find_first_not_of(" \t\n") == std::string::npos)
    report.refuse(item.find("reason")->at, "an empty reason", "why the check is off", "say it");
  if (!out.emplace(id, reason).second)
    report.refuse(item.at, config::in_quotes(id) + " is off twice", "each check once", "remove one of them");
}

}  // namespace

result<reasons_by_id> read_switches(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    return refusal{file.string(), "a file of checks that are off", "it cannot be read", "correct the name"};
  config::problems report(file.string());
  reasons_by_id out;
  const auto root = config::read_yaml(text.str(), report);
  if (root && config::check_shape(*root, file_object, report)) {
    if (const config::yaml_node *off = root->find("off"); off != nullptr) {
      for (const config::yaml_node &item : off->items) read_entry(item, out, report);
    }
  }
  if (report.refused()) return report.refusals().front();
  return out;
}

}  // namespace tenon::conformance
