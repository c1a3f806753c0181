// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "query.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tenon/sinks/stored_record.hpp"

namespace tenon::events_sqlite {
namespace {

// Positions of the first and the last record that can fit.
struct span {
  int64_t first = 1, last = INT64_MAX;
  [[nodiscard]] bool empty() const { return first > last; }
};
constexpr span nothing{1, 0};

int64_t as_number(uint64_t id) { return static_cast<int64_t>(std::min<uint64_t>(id, INT64_MAX)); }

// Records of one run come in the order of their ids.
span of_run(const database &db, const sdk::event_query &wanted) {
  if (wanted.run.empty()) return {};
  statement newest(db.handle(), "SELECT position FROM event WHERE run = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1");
  newest.bind(1, wanted.run).bind(2, wanted.last_id == 0 ? INT64_MAX : as_number(wanted.last_id));
  if (!newest.step()) return nothing;
  span out;
  out.last = newest.number(0);
  newest.reset();
  // A record of losses may begin before the first id that is wanted.
  newest.bind(1, wanted.run).bind(2, as_number(wanted.first_id));
  if (newest.step()) {
    out.first = newest.number(0);
    return out;
  }
  statement oldest(db.handle(), "SELECT position FROM event WHERE run = ?1 ORDER BY id LIMIT 1");
  if (oldest.bind(1, wanted.run).step()) out.first = oldest.number(0);
  return out;
}

// Clocks may have been set back between runs: the order of times is not that of positions.
span of_times(const database &db, const sdk::event_query &wanted) {
  const bool goes_on = wanted.after != 0;  // behind a record that fitted
  if (wanted.until_ns == 0 && (wanted.since_ns == 0 || goes_on)) return {};
  statement both(db.handle(),
                 "SELECT min(position), max(position) FROM event INDEXED BY event_time "
                 "WHERE timestamp_ns >= ?1 AND timestamp_ns < ?2");
  both.bind(1, wanted.since_ns).bind(2, wanted.until_ns == 0 ? INT64_MAX : wanted.until_ns);
  both.step();
  const span out{both.number(0), both.number(1)};
  return out.last == 0 ? nothing : out;
}

// The query without its order: conditions, and the texts that they are bound to from ?3 on.
struct conditions {
  explicit conditions(const sdk::event_query &wanted) {
    // Empty texts have no place in these indexes, which is to be said for them to be used.
    indexed("object", wanted.object);
    indexed("application", wanted.application);
    indexed("queue", wanted.queue);
    indexed("node", wanted.node);
    has_index = !texts.empty();
    // The sign keeps an index from being used whose order is not that of positions.
    text("+run", wanted.run);
    text("+partition", wanted.partition);
    number("+timestamp_ns >= ", wanted.since_ns);
    number("+timestamp_ns < ", wanted.until_ns);
    number("last_id >= ", as_number(wanted.first_id));
    number("+id <= ", as_number(wanted.last_id));
  }

  std::string sql = " FROM event WHERE position >= ?1 AND position <= ?2";
  std::vector<std::string_view> texts;
  bool has_index = false;

 private:
  void text(const std::string &column, std::string_view value) {
    if (value.empty()) return;
    texts.push_back(value);
    sql += " AND " + column + " = ?" + std::to_string(texts.size() + 2);
  }
  void indexed(const std::string &column, std::string_view value) {
    if (value.empty()) return;
    text(column, value);
    sql += " AND " + column + " <> ''";
  }
  void number(const std::string &condition, int64_t value) {
    if (value != 0) sql += " AND " + condition + std::to_string(value);
  }
};

// Each of several types is found through the index, and their records are merged in order: IN would sort them.
std::string with_types(const conditions &where, uint32_t types) {
  std::string rows = "SELECT position, " + std::string(sinks::columns) + where.sql;
  if (types == 0) return rows;
  std::string merged, list;
  for (uint32_t type = 0; type < 32; ++type) {
    if ((types >> type & 1U) == 0) continue;
    const std::string number = std::to_string(type);
    merged.append(merged.empty() ? "" : " UNION ALL ").append(rows).append(" AND type = ").append(number);
    list.append(list.empty() ? "" : ",").append(number);
  }
  return where.has_index ? rows + " AND +type IN (" + list + ")" : merged;
}

}  // namespace

std::optional<statement> select(const database &db, const sdk::event_query &wanted, uint64_t limit) {
  const span run = of_run(db, wanted), times = of_times(db, wanted);
  const int64_t after = std::min(as_number(wanted.after), INT64_MAX - 1);
  const span found{std::max({run.first, times.first, after + 1}), std::min(run.last, times.last)};
  if (found.empty()) return std::nullopt;
  const conditions where(wanted);
  const int last = static_cast<int>(where.texts.size()) + 3;
  statement out(db.handle(), with_types(where, wanted.types) + " ORDER BY position LIMIT ?" + std::to_string(last));
  out.bind(1, found.first).bind(2, found.last).bind(last, as_number(limit));
  for (int at = 3; at < last; ++at) out.bind(at, where.texts[static_cast<size_t>(at) - 3]);
  return out;
}

}  // namespace tenon::events_sqlite
