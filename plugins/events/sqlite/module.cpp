// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records in a SQLite file: each batch is one transaction, and taken once that is committed.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "database.hpp"
#include "query.hpp"
#include "schema.hpp"
#include "tenon/sdk/event_sink.hpp"

namespace {

using namespace tenon::sdk;
using namespace tenon::events_sqlite;

// "7d", "12h", "30m", "90s" in nanoseconds; 0: for ever.
int64_t duration_ns(const std::string &text) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  constexpr int64_t second = 1'000'000'000;
  const int64_t of = unit == "d" ? 86'400 * second : unit == "h" ? 3'600 * second : unit == "m" ? 60 * second : second;
  const bool known = unit == "d" || unit == "h" || unit == "m" || unit == "s" || (unit.empty() && count == 0);
  if (error != std::errc() || !known || count < 0 || count > INT64_MAX / of)
    config::refuse("retention", "a number with d, h, m or s, or 0");
  return count * of;
}

// "memory=100,vcore=5"; backslash, comma and = of a type's name are escaped.
std::string packed(const event &record) {
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

amounts unpacked(std::string_view text) {
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

struct sqlite {
  static constexpr std::string_view name = "sqlite";

  explicit sqlite(const config &settings)
      : path_(settings.text("path", "")),
        retention_ns_(duration_ns(settings.text("retention", "7d"))),
        max_bytes_(settings.whole("max_mb", 1024, 1, 16'777'216) << 20U),
        full_(settings.text("durability", "full") == "full"),
        busy_ms_(static_cast<int>(settings.whole("busy_ms", 1'000, 0, 60'000))) {}

  // Committed when it returns. Records that are there already are left as they are: a batch may come again.
  void emit(const event_batch &records) {
    reached([&] {
      transaction all(db_);
      for (const event record : records) insert(record);
      all.commit();
    });
    since_look_ += records.size();
    if (since_look_ >= look_after || clock::now() - looked_ >= look_every) reached([&] { forget_old(); });
  }

  uint64_t query(const event_query &wanted, const event_taker &take) {
    uint64_t next = 0;
    reached([&] { next = give_all(wanted, take); });
    return next;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr uint64_t look_after = 10'000;               // records between two looks at age and size,
  static constexpr auto look_every = std::chrono::minutes(1);  // or less, where that comes first
  static constexpr uint64_t unlimited = 1'000'000'000;

  // Opens the file where it is not open; closes it after an error that another try may not have.
  template <class Body>
  void reached(Body &&body) {
    try {
      if (!db_.is_open()) open();
      body();
    } catch (const database_error &e) {
      const int kind = e.code & 0xff;
      if (kind != SQLITE_BUSY && kind != SQLITE_LOCKED && kind != SQLITE_FULL) shut();
      throw unavailable(path_ + ": " + e.what());
    }
  }

  void open() {
    database fresh(path_, busy_ms_);
    if (fresh.number("PRAGMA user_version") == 0)
      fresh.run("PRAGMA auto_vacuum = INCREMENTAL");  // before anything else
    fresh.run("PRAGMA journal_mode = WAL");
    fresh.run(full_ ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    fresh.run("PRAGMA journal_size_limit = 67108864");
    migrate(fresh);
    db_ = std::move(fresh);
    insert_.emplace(db_.handle(), "INSERT OR IGNORE INTO event (" + std::string(columns) +
                                      ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    forget_old();
  }

  void shut() {
    insert_.reset();
    db_ = {};
  }

  void insert(const event &record) {
    const std::string resource = packed(record);
    insert_->bind(1, record.run()).bind(2, static_cast<int64_t>(record.id()));
    insert_->bind(3, static_cast<int64_t>(record.last_id())).bind(4, int64_t{record.type()});
    insert_->bind(5, record.timestamp_ns()).bind(6, int64_t{record.change()}).bind(7, int64_t{record.detail()});
    int at = 8;
    for (const std::string_view text :
         {record.partition(), record.object(), record.reference(), record.group(), record.reason(), record.message(),
          record.application(), record.queue(), record.node(), std::string_view(resource)})
      insert_->bind(at++, text);
    try {
      insert_->step();
    } catch (...) {
      insert_->reset();
      throw;
    }
    insert_->reset();
  }

  // What is older than the retention, and the oldest while the file is too large.
  void forget_old() {
    since_look_ = 0;
    looked_ = clock::now();
    if (retention_ns_ != 0) {
      const std::chrono::nanoseconds present = std::chrono::system_clock::now().time_since_epoch();
      statement old(db_.handle(), "DELETE FROM event WHERE timestamp_ns < ?");
      old.bind(1, present.count() - retention_ns_).step();
    }
    for (int round = 0; round < 16 && used_bytes() > max_bytes_; ++round) {
      db_.run(
          "DELETE FROM event WHERE position <= (SELECT min(position) FROM event) + ((SELECT max(position) FROM event) "
          "- (SELECT min(position) FROM event)) / 10");
    }
    db_.run("PRAGMA incremental_vacuum");
  }

  [[nodiscard]] int64_t used_bytes() const {
    return (db_.number("PRAGMA page_count") - db_.number("PRAGMA freelist_count")) * db_.number("PRAGMA page_size");
  }

  uint64_t give_all(const event_query &wanted, const event_taker &take) {
    const uint64_t limit = wanted.limit == 0 ? unlimited : std::min(wanted.limit, unlimited);
    auto rows = select(db_, wanted, limit + 1);  // one more tells whether there is more
    uint64_t given = 0, position = wanted.after;
    while (rows && rows->step()) {
      if (given == limit) return position;
      position = static_cast<uint64_t>(rows->number(0));
      if (!give(*rows, take)) return position;
      ++given;
    }
    return 0;
  }

  static bool give(const statement &row, const event_taker &take) {
    const auto text_of = [&](int column) { return text(row.text(column)); };
    const amounts resource = unpacked(row.text(17));
    std::vector<tenon_text> types;
    for (const std::string &type : resource.names) types.push_back(text(type));
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

  std::string path_;
  int64_t retention_ns_, max_bytes_;
  bool full_;
  int busy_ms_;
  database db_;
  std::optional<statement> insert_;  // of db_
  uint64_t since_look_ = 0;          // records
  clock::time_point looked_;
};

}  // namespace

TENON_MODULE(event_sink<sqlite>)
