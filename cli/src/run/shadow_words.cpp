// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/shadow_words.hpp"

#include <boost/json.hpp>
#include <ostream>
#include <string>

#include "run/text_table.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

json::object object_of(const host::shadow_difference &one) {
  return {{"what", host::shadow_difference_names[static_cast<size_t>(one.kind)]},
          {"at_ms", one.at_ms},
          {"slot", one.slot},
          {"of", one.of},
          {"objects", json::array(one.objects.begin(), one.objects.end())},
          {"first", one.first},
          {"shadow", one.shadow}};
}

json::object object_of(const host::call_shadow_status &one) {
  json::object by_kind;
  for (size_t i = 0; i < one.differences.size(); ++i) by_kind[host::shadow_difference_names[i]] = one.differences[i];
  json::array first;
  for (const host::shadow_difference &each : one.first_differences) first.push_back(object_of(each));
  return {{"module", one.module},
          {"version", one.version},
          {"kind", one.kind},
          {"name", one.name},
          {"shadow", one.shadow},
          {"shadow_version", one.shadow_version},
          {"shadow_name", one.shadow_name},
          {"calls", one.calls},
          {"items", one.items},
          {"skipped", one.skipped},
          {"faults", one.faults},
          {"spent_ms", one.spent_ns / 1'000'000},
          {"forgotten", one.forgotten},
          {"differences", one.all_differences()},
          {"differences_by_kind", std::move(by_kind)},
          {"first_differences", std::move(first)},
          {"last_fault", one.last_fault},
          {"off", one.off}};
}

std::string text(const json::object &of, std::string_view key) { return std::string(of.at(key).as_string()); }
std::string count(const json::object &of, std::string_view key) {
  return std::to_string(of.at(key).to_number<int64_t>());
}

void print_difference(const json::object &one, std::ostream &out) {
  out << "    " << text(one, "what") << ", " << text(one, "slot");
  if (!text(one, "of").empty()) out << " of " << text(one, "of");
  out << ": ";
  bool first = true;
  for (const json::value &each : one.at("objects").as_array()) {
    out << (first ? "" : ", then ") << std::string(each.as_string());
    first = false;
  }
  out << "\n      in force: " << text(one, "first") << "\n      shadow:   " << text(one, "shadow") << '\n';
}

}  // namespace

json::array shadows_json(const std::vector<host::call_shadow_status> &shadows) {
  json::array out;
  for (const host::call_shadow_status &one : shadows) out.push_back(object_of(one));
  return out;
}

void print_shadows(const json::array &shadows, std::ostream &out) {
  if (shadows.empty()) return;
  table all({{"POLICY"},
             {"SHADOW"},
             {"STATE"},
             {"CALLS", true},
             {"ITEMS", true},
             {"DIFFERENCES", true},
             {"FAULTS", true},
             {"SPENT", true}});
  for (const json::value &value : shadows) {
    const json::object &one = value.as_object();
    all.add({text(one, "kind") + " " + text(one, "name"), text(one, "shadow") + " " + text(one, "shadow_version"),
             text(one, "off").empty() ? "on" : "off", count(one, "calls"), count(one, "items"),
             count(one, "differences"), count(one, "faults"), count(one, "spent_ms") + " ms"});
  }
  all.print(out);
  for (const json::value &value : shadows) {
    const json::object &one = value.as_object();
    if (!text(one, "off").empty())
      out << '\n' << "shadow " << text(one, "shadow") << " is off: " << text(one, "off") << '\n';
    const json::array &differences = one.at("first_differences").as_array();
    if (!differences.empty())
      out << "\n  first differences of " << text(one, "kind") << ' ' << text(one, "name") << " and its shadow:\n";
    for (const json::value &each : differences) print_difference(each.as_object(), out);
  }
}

}  // namespace tenon::cli
