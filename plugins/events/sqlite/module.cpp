// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records in a SQLite file: each batch is one transaction, and taken once that is committed.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "database.hpp"
#include "file_tables.hpp"
#include "query.hpp"
#include "tenon/sdk/event_sink.hpp"
#include "tenon/sinks/stored_record.hpp"

namespace {

using namespace tenon::sdk;
using namespace tenon::events_sqlite;

struct sqlite {
  static constexpr std::string_view name = "sqlite";

  explicit sqlite(const config &settings)
      : path_(settings.text("path", "")),
        retention_ns_(tenon::sinks::retention_ns(settings.text("retention", "7d"))),
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
    insert_.emplace(db_.handle(), "INSERT OR IGNORE INTO event (" + std::string(tenon::sinks::columns) +
                                      ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    forget_old();
  }

  void shut() {
    insert_.reset();
    db_ = {};
  }

  void insert(const event &record) {
    const std::string resource = tenon::sinks::packed_amounts(record);
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
      if (!tenon::sinks::give(*rows, take)) return position;
      ++given;
    }
    return 0;
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
