// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A record of events as a row of a table: what sinks that keep records in databases share.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/sdk/event_sink.hpp"

namespace tenon::sinks {

// Of the table `event`, behind the position of a row.
inline constexpr std::string_view columns =
    "run, id, last_id, type, timestamp_ns, change, detail, partition, object, reference, group_id, reason, message, "
    "application, queue, node, resource";

// "7d", "12h", "30m", "90s" in nanoseconds; 0: for ever. Throws sdk::invalid_config.
inline int64_t retention_ns(const std::string &text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  constexpr int64_t second = 1'000'000'000;
  const int64_t of = unit == "d" ? 86'400 * second : unit == "h" ? 3'600 * second : unit == "m" ? 60 * second : second;
  const bool known = unit == "d" || unit == "h" || unit == "m" || unit == "s" || (unit.empty() && count == 0);
  if (error != std::errc() || !known || count < 0 || count > INT64_MAX / of)
    sdk::config::refuse("retention", "a number with d, h, m or s, or 0");
  return count * of;
}

// "memory=100,vcore=5"; backslash, comma and = of a type's name are escaped.
inline std::string packed_amounts(const sdk::event &record) {
  std::string out;
  for (uint32_t i = 0; i < record.resource_count(); ++i) {
    if (i != 0) out += ',';
    for (const char c : record.resource_type(i)) {
      if (c == '\\' || c == ',' || c == '=') out += '\\';
      out += c;
    }
    out += '=' + std::to_string(record.resource_value(i));
  }
  return out;
}

struct amounts {
  std::vector<std::string> names;
  std::vector<int64_t> values;
};

inline amounts unpacked_amounts(std::string_view text) {
  amounts out;
  while (!text.empty()) {
    std::string &name = out.names.emplace_back();
    size_t at = 0;
    for (; at < text.size() && text[at] != '='; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      name += text[at];
    }
    text.remove_prefix(std::min(at + 1, text.size()));
    int64_t value = 0;
    const char *end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    out.values.push_back(value);
    text.remove_prefix(std::min<size_t>(static_cast<size_t>(end - text.data()) + 1, text.size()));
  }
  return out;
}

// Gives the record of a row whose column 0 is its position and the others are `columns`: row.number(i), row.text(i).
// False: the taker has enough.
template <class Row>
bool give(const Row &row, const sdk::event_taker &take) {
  const auto text_of = [&](int column) { return sdk::text(row.text(column)); };
  const amounts resource = unpacked_amounts(row.text(17));
  std::vector<tenon_text> types;
  for (const std::string &type : resource.names) types.push_back(sdk::text(type));
  tenon_event_record out{};
  out.size = sizeof out;
  out.run = text_of(1);
  out.id = static_cast<uint64_t>(row.number(2));
  out.last_id = static_cast<uint64_t>(row.number(3));
  out.type = static_cast<uint32_t>(row.number(4));
  out.timestamp_ns = row.number(5);
  out.change = static_cast<uint32_t>(row.number(6));
  out.detail = static_cast<uint32_t>(row.number(7));
  out.partition = text_of(8);
  out.object = text_of(9);
  out.reference = text_of(10);
  out.group = text_of(11);
  out.reason = text_of(12);
  out.message = text_of(13);
  out.application = text_of(14);
  out.queue = text_of(15);
  out.node = text_of(16);
  out.resource_types = types.data();
  out.resource_values = resource.values.data();
  out.resource_count = static_cast<uint32_t>(types.size());
  return take(out);
}

}  // namespace tenon::sinks
