// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/module_reports.hpp"

namespace tenon::host::isolation {
namespace {

uint32_t short_number(byte_reader &from) { return static_cast<uint32_t>(from.number()); }
tenon_status status_in(byte_reader &from) { return static_cast<tenon_status>(from.number()); }
tenon_text text_of(const std::string &s) { return {s.data(), s.size()}; }

}  // namespace

void reported_columns::read(byte_reader &from) {
  broken_ = from.number() != 0;
  const uint64_t count = from.count();
  ids_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ids_.emplace_back(from.text());
    uses_.push_back({sizeof(tenon_column_use), short_number(from), text_of(ids_.back())});
  }
}

reported_implementation::reported_implementation(byte_reader &from) : name_(from.text()), version_(from.text()) {
  columns_.read(from);
  key_words_ = short_number(from);
  order_rev_ = short_number(from);
  rekey_ms_ = short_number(from);
  const uint64_t count = from.count();
  reasons_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    reasons_.emplace_back(from.text());
    reason_texts_.push_back(text_of(reasons_.back()));
  }
}

tenon_description reported_implementation::description() const {
  tenon_description out{};
  out.size = sizeof out;
  out.name = text_of(name_);
  out.version = text_of(version_);
  out.columns = columns_.first();
  out.column_count = columns_.count();
  out.column_stride = columns_.stride();
  out.key_words = key_words_;
  out.order_rev = order_rev_;
  out.rekey_ms = rekey_ms_;
  out.reasons = reason_texts_.data();
  out.reason_count = static_cast<uint32_t>(reason_texts_.size());
  return out;
}

module_report read_module_report(std::string_view bytes) {
  byte_reader from(bytes);
  module_report out;
  out.opened = from.number() != 0;
  out.want = from.text();
  out.have = from.text();
  out.fix = from.text();
  out.abi_epoch = short_number(from);
  out.draft_rev = short_number(from);
  out.in_force = short_number(from);
  out.landlock = short_number(from);
  const uint64_t interfaces = from.count();
  for (uint64_t i = 0; i < interfaces; ++i) {
    reported_interface &one = out.interfaces.emplace_back();
    one.id = from.text();
    one.status = status_in(from);
    one.has_factory = from.number() != 0;
    const uint64_t implementations = from.count();
    for (uint64_t k = 0; k < implementations; ++k)
      one.implementations.push_back(std::make_unique<reported_implementation>(from));
    one.end = status_in(from);
  }
  if (from.whole()) return out;
  module_report broken;
  broken.want = "what a module's process says of its module";
  broken.have = "something else";
  broken.fix = "ask the module's vendor";
  return broken;
}

instance_report read_instance_report(std::string_view bytes) {
  byte_reader from(bytes);
  instance_report out;
  out.stage = static_cast<create_stage>(from.number());
  out.status = status_in(from);
  out.words = from.text();
  out.has_instance = from.number() != 0;
  out.has_lifecycle = from.number() != 0;
  out.slots = short_number(from);
  out.own_columns = from.number() != 0;
  out.columns.read(from);
  out.key_words = short_number(from);
  if (from.whole()) return out;
  instance_report broken;
  broken.words = "its process said something that is no answer";
  return broken;
}

}  // namespace tenon::host::isolation
