// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "postgresql_query.hpp"

#include <algorithm>

#include "column_texts.hpp"
#include "tenon/sinks/stored_record.hpp"

namespace tenon::events_postgresql {
namespace {

std::string number(uint64_t value) { return std::to_string(std::min<uint64_t>(value, INT64_MAX)); }

class conditions {
 public:
  conditions(const sdk::event_query &wanted, uint64_t after) {
    out_.sql = " WHERE position > " + number(after);
    indexed("object", wanted.object);
    indexed("application", wanted.application);
    indexed("queue", wanted.queue);
    indexed("node", wanted.node);
    text("run", wanted.run);
    text("partition", wanted.partition);
    if (wanted.since_ns != 0) out_.sql += " AND timestamp_ns >= " + std::to_string(wanted.since_ns);
    if (wanted.until_ns != 0) out_.sql += " AND timestamp_ns < " + std::to_string(wanted.until_ns);
    if (wanted.last_id != 0 || wanted.first_id != 0)
      out_.sql += " AND id <= " + number(wanted.last_id == 0 ? UINT64_MAX : wanted.last_id);
    if (wanted.first_id != 0) from(wanted.first_id, wanted.run);
    if (wanted.types != 0) types(wanted.types);
  }
  [[nodiscard]] statement taken() && { return std::move(out_); }

 private:
  std::string parameter(std::string_view value) {
    out_.parameters.push_back(stored_text(value));
    return "$" + std::to_string(out_.parameters.size());
  }
  void text(const std::string &column, std::string_view value) {
    if (!value.empty()) out_.sql += " AND " + column + " = " + parameter(value);
  }
  // The index has the beginning, and no empty texts but of `object`; the rest is compared.
  void indexed(const std::string &column, std::string_view value) {
    if (value.empty()) return;
    const std::string wanted = parameter(value);
    out_.sql += " AND left(" + column + ", 200) = left(" + wanted + ", 200) AND " + column + " = " + wanted + " AND " +
                column + " <> ''";
  }
  // Records of a run do not overlap: the first that reaches the id is the last that begins at or before it. With two
  // ends of `id` the server walks along the index of run and id, and does not look at all that there is.
  void from(uint64_t first, std::string_view run) {
    out_.sql += " AND last_id >= " + number(first);
    if (run.empty()) return;
    out_.sql += " AND id >= coalesce((SELECT max(id) FROM event WHERE run = " + parameter(run) +
                " AND id <= " + number(first) + "), 0)";
  }
  void types(uint32_t wanted) {
    std::string list;
    for (uint32_t type = 0; type < 32; ++type)
      if ((wanted >> type & 1U) != 0) list.append(list.empty() ? "" : ",").append(std::to_string(type));
    out_.sql += " AND type IN (" + list + ")";
  }

  statement out_;
};

}  // namespace

statement select(const sdk::event_query &wanted, uint64_t after, uint64_t limit) {
  statement out = conditions(wanted, after).taken();
  out.sql = "SELECT position, " + std::string(sinks::columns) + " FROM event" + out.sql + " ORDER BY position LIMIT " +
            std::to_string(limit);
  return out;
}

}  // namespace tenon::events_postgresql
