// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records that an event sink gives for a query, as bytes.
#pragma once

#include <vector>

#include "isolation/byte_stream.hpp"
#include "tenon/abi/event_sink.h"

namespace tenon::host::isolation {

inline constexpr tenon_text tenon_event_record::*record_texts[] = {
    &tenon_event_record::run,       &tenon_event_record::partition,   &tenon_event_record::object,
    &tenon_event_record::reference, &tenon_event_record::group,       &tenon_event_record::reason,
    &tenon_event_record::message,   &tenon_event_record::application, &tenon_event_record::queue,
    &tenon_event_record::node};

inline void put_record(byte_writer &to, const tenon_event_record &from) {
  const auto text = [&](const tenon_text &one) {
    to.text(one.data == nullptr ? std::string_view{} : std::string_view{one.data, one.length});
  };
  to.number(from.type);
  to.number(from.id);
  to.number(from.last_id);
  to.number(static_cast<uint64_t>(from.timestamp_ns));
  to.number(from.change);
  to.number(from.detail);
  for (const auto part : record_texts) text(from.*part);
  to.number(from.resource_count);
  for (uint32_t i = 0; i < from.resource_count; ++i) {
    text(from.resource_types[i]);
    to.number(static_cast<uint64_t>(from.resource_values[i]));
  }
}

// One record after the other, each valid until the next one is read.
class record_reader {
 public:
  explicit record_reader(std::string_view bytes) : from_(bytes), left_(!bytes.empty()) {}

  // nullptr behind the last one, and where the bytes are broken.
  const tenon_event_record *next() {
    if (!left_) return nullptr;
    const auto short_number = [&] { return static_cast<uint32_t>(from_.number()); };
    const auto text = [&] {
      const std::string_view one = from_.text();
      return tenon_text{one.data(), one.size()};
    };
    record_ = {};
    record_.size = sizeof record_;
    record_.type = short_number();
    record_.id = from_.number();
    record_.last_id = from_.number();
    record_.timestamp_ns = static_cast<int64_t>(from_.number());
    record_.change = short_number();
    record_.detail = short_number();
    for (const auto part : record_texts) record_.*part = text();
    const uint64_t resources = from_.count();
    types_.clear();
    values_.clear();
    for (uint64_t i = 0; i < resources; ++i) {
      types_.push_back(text());
      values_.push_back(static_cast<int64_t>(from_.number()));
    }
    record_.resource_types = types_.data();
    record_.resource_values = values_.data();
    record_.resource_count = static_cast<uint32_t>(resources);
    left_ = from_.has_more();
    return from_.is_broken() ? nullptr : &record_;
  }
  [[nodiscard]] bool is_broken() const { return from_.is_broken(); }

 private:
  byte_reader from_;
  bool left_;
  tenon_event_record record_{};
  std::vector<tenon_text> types_;
  std::vector<int64_t> values_;
};

}  // namespace tenon::host::isolation
