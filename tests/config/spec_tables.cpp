// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "spec_tables.hpp"

namespace tenon::config {
namespace {

std::string type_name(const key_spec &key) {
  switch (key.kind) {
    case value_kind::text:
      return "text";
    case value_kind::boolean:
      return "switch";
    case value_kind::count:
      return "whole number";
    case value_kind::integer:
      return "whole number";
    case value_kind::number:
      return "number";
    case value_kind::duration:
      return "[duration](#durations)";
    case value_kind::text_list:
      return "list of texts";
    case value_kind::text_map:
      return "map of texts";
    case value_kind::quantity_map:
      return "map of [quantities](#quantities)";
    case value_kind::number_map:
      return "map of numbers";
    case value_kind::integer_map:
      return "map of whole numbers";
    case value_kind::object:
    case value_kind::object_list:
      break;
    case value_kind::any:
      return "anything";
  }
  std::string anchor(key.object->name);
  for (char &c : anchor) {
    if (c == ' ') c = '-';
  }
  const std::string link = "[" + std::string(key.object->name) + "](#" + anchor + ")";
  return key.kind == value_kind::object ? link : "list of " + link;
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

}  // namespace

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string object_section(const object_spec &spec) {
  std::string out = "\n## " + capitalised(spec.name) + "\n\n" + std::string(spec.summary) +
                    "\n\n| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const key_spec &key : spec.keys) {
    out += "| `" + std::string(key.key) + "` | " + type_name(key) + " | " + cell(key.fallback) + " | " +
           (key.tenon_only ? "*Tenon.* " : "") + cell(key.summary) + " |\n";
  }
  return out;
}

}  // namespace tenon::config
