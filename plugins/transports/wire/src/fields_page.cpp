// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables as Markdown.
#include "wire_schema.hpp"

namespace tenon::wire {
namespace {

const tagged_record *record_of(dialect spoken, const char *name) {
  return name == nullptr ? nullptr : schema_of(spoken, name).alone;
}

std::string number_of(const tagged_record *record, const row &one) {
  for (size_t number = 0; record != nullptr && number < record->fields.size(); ++number) {
    const tagged_field &field = record->fields[number];
    if (field.from == &one) return std::to_string(number) + " " + field.name;
  }
  return "";
}

bool is_tenons(const char *later) {
  return later != nullptr && message_named(dialect::later, later)->file()->package() == "tenon.v1";
}

}  // namespace

std::string fields_page() {
  std::string out;
  for (const record &each : records()) {
    const tagged_record *first = record_of(dialect::first, each.first);
    const tagged_record *later = record_of(dialect::later, each.later);
    out += out.empty() ? "### " : "\n### ";
    out += (is_tenons(each.later) ? "tenon.v1." : "") + std::string(each.first ? each.first : each.later) + "\n\n`" +
           each.structure + "`\n\n";
    out += "| first | later | member | what it does |\n|---|---|---|---|\n";
    for (const row &one : each.rows) {
      out += "| " + number_of(first, one) + " | " + number_of(later, one) + " | `" + one.member + "` | " + one.use +
             " |\n";
    }
  }
  return out;
}

}  // namespace tenon::wire
