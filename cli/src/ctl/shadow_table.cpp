// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "ctl/shadow_table.hpp"

#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "ctl/answer_fields.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using namespace answer_fields;

}  // namespace

void print_shadow(const json::object &result, std::ostream &out) {
  out << "state     " << text(result, "state") << '\n';
  if (const std::string words = text(result, "message"); !words.empty()) out << "words     " << words << '\n';
  for (const auto &[what, how] : result.at("settings").as_object())
    out << "other     " << std::string(what) << ' ' << std::string(how.as_string()) << '\n';
  out << "compared  " << count(result, "compared") << " decisions, one after " << count(result, "every")
      << " each: " << count(result, "same") << " same, " << count(result, "other") << " other, "
      << count(result, "refused") << " refused; " << count(result, "passed_over") << " passed over\n";
  out << "checked   " << count(result, "checked") << " decisions of the daemon: " << count(result, "unequal")
      << " unequal\n";
  out << "behind    " << count(result, "commands_behind") << " commands, " << count(result, "behind_ms") << " ms\n";
  out << "restarts  " << count(result, "restarts") << " of " << count(result, "most_restarts") << '\n';
  for (const json::value &value : result.at("first_faults").as_array()) {
    const json::object &one = value.as_object();
    out << "fault     of " << text(one, "module") << " in the shadow's " << text(one, "where") << ", after decision "
        << count(one, "decision") << ": " << text(one, "text") << '\n';
  }
  if (const json::value &unequal = result.at("first_unequal"); unequal.is_object()) {
    const json::object &one = unequal.as_object();
    out << "\nunequal, decision " << count(one, "decision") << "\n  daemon: " << text(one, "daemon")
        << "\n  replay: " << text(one, "replay") << '\n';
  }
  for (const json::value &value : result.at("first").as_array()) {
    const json::object &one = value.as_object();
    out << "\nother, before decision " << count(one, "decision") << '\n' << text(one, "text");
  }
}

}  // namespace tenon::cli
