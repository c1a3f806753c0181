// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The tables as Markdown.
#include "fields.hpp"

namespace tenon::wire {
namespace {

std::string number_of(const resolved_record *record, const row &one) {
  if (record) {
    for (const resolved_row &each : record->rows) {
      if (each.from == &one) {
        return std::to_string(each.field->number()) + " " + each.field->name();
      }
    }
  }
  return "";
}

const resolved_record *in(dialect spoken, const char *name) {
  return name ? record_of(message_named(spoken, name)) : nullptr;
}

}  // namespace

std::string fields_page() {
  std::string out;
  for (const record &each : records()) {
    const resolved_record *first = in(dialect::first, each.first);
    const resolved_record *later = in(dialect::later, each.later);
    out += out.empty() ? "### " : "\n### ";
    out += (later && later->message->file()->package() == "tenon.v1" ? "tenon.v1." : "") +
           std::string(each.first ? each.first : each.later) + "\n\n`" + each.structure + "`\n\n";
    out += "| first | later | member | what it does |\n|---|---|---|---|\n";
    for (const row &one : each.rows) {
      out += "| " + number_of(first, one) + " | " + number_of(later, one) + " | `" + one.member + "` | " + one.use +
             " |\n";
    }
  }
  return out;
}

}  // namespace tenon::wire
