// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "file_tables.hpp"

#include <array>

namespace tenon::events_sqlite {
namespace {

// Number n brings version n - 1 to n. What was released is never changed here; there is only more of it.
constexpr std::array<const char *, 2> migrations{
    R"(
CREATE TABLE event (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL,
  id INTEGER NOT NULL,
  last_id INTEGER NOT NULL,
  type INTEGER NOT NULL,
  timestamp_ns INTEGER NOT NULL,
  change INTEGER NOT NULL,
  detail INTEGER NOT NULL,
  partition TEXT NOT NULL,
  object TEXT NOT NULL,
  reference TEXT NOT NULL,
  group_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  message TEXT NOT NULL,
  application TEXT NOT NULL,
  queue TEXT NOT NULL,
  node TEXT NOT NULL,
  resource TEXT NOT NULL
);
CREATE UNIQUE INDEX event_run_id ON event (run, id);
CREATE INDEX event_time ON event (timestamp_ns);
CREATE INDEX event_object ON event (object);
CREATE INDEX event_application ON event (application) WHERE application <> '';
)",
    R"(
CREATE INDEX event_queue ON event (queue) WHERE queue <> '';
CREATE INDEX event_node ON event (node) WHERE node <> '';
CREATE INDEX event_type ON event (type);
)",
};

}  // namespace

int64_t schema_version() { return static_cast<int64_t>(migrations.size()); }

void migrate(const database &db) {
  int64_t version = db.number("PRAGMA user_version");
  if (version > schema_version()) {
    throw database_error(SQLITE_MISMATCH, "the file has version " + std::to_string(version) + ", this module writes " +
                                              std::to_string(schema_version()) + ": name another file");
  }
  for (; version < schema_version(); ++version) {
    transaction all(db);
    db.run(migrations[static_cast<size_t>(version)]);
    db.run("PRAGMA user_version = " + std::to_string(version + 1));
    all.commit();
  }
}

}  // namespace tenon::events_sqlite
