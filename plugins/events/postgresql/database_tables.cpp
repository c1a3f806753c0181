// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "database_tables.hpp"

#include <array>
#include <vector>

namespace tenon::events_postgresql {
namespace {

// Number n brings version n - 1 to n. What was released is never changed here; there is only more of it. Indexes hold
// the beginning of a text: an entry of an index has a limit that texts do not have.
const std::array<std::vector<const char *>, 1> migrations{{{
    R"(
CREATE TABLE event (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text NOT NULL,
  id bigint NOT NULL,
  last_id bigint NOT NULL,
  type integer NOT NULL,
  timestamp_ns bigint NOT NULL,
  change integer NOT NULL,
  detail integer NOT NULL,
  partition text NOT NULL,
  object text NOT NULL,
  reference text NOT NULL,
  group_id text NOT NULL,
  reason text NOT NULL,
  message text NOT NULL,
  application text NOT NULL,
  queue text NOT NULL,
  node text NOT NULL,
  resource text NOT NULL,
  UNIQUE (run, id)
))",
    "CREATE INDEX event_time ON event (timestamp_ns)",
    "CREATE INDEX event_type ON event (type, position)",
    "CREATE INDEX event_object ON event (left(object, 200), position)",
    "CREATE INDEX event_application ON event (left(application, 200), position) WHERE application <> ''",
    "CREATE INDEX event_queue ON event (left(queue, 200), position) WHERE queue <> ''",
    "CREATE INDEX event_node ON event (left(node, 200), position) WHERE node <> ''",
}}};

// A schema of the session alone, which no other one sees.
bool is_temporary(const std::string &schema) { return schema == "pg_temp"; }

void lock(connection &db, const std::string &schema) {
  // Of the server's own time: a process whose machine is gone gives it up.
  for (const char *setting : {"tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3"})
    db.run(std::string("SET ") + setting);
  const rows taken =
      db.run("SELECT CASE WHEN pg_try_advisory_lock(hashtextextended('tenon.postgresql ' || $1, 0)) THEN 1 ELSE 0 END",
             {schema});
  if (taken.number(0, 0) == 0)
    throw database_error("", "another process writes to schema " + schema + ": give each one of its own");
}

}  // namespace

void take_over(connection &db, const std::string &schema) {
  const rows encoding = db.run("SELECT current_setting('server_encoding')");
  if (encoding.text(0, 0) != "UTF8")
    throw database_error("", "the database is in " + std::string(encoding.text(0, 0)) + ": want one in UTF8");
  db.run("SET search_path = \"" + schema + "\"");
  if (!is_temporary(schema)) {
    lock(db, schema);
    if (db.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", {schema}).count() == 0)
      db.run("CREATE SCHEMA \"" + schema + "\"");
  }
  db.run("BEGIN");
  db.run("CREATE TABLE IF NOT EXISTS version (number integer NOT NULL)");
  const rows found = db.run("SELECT max(number) FROM version");
  const int64_t today = static_cast<int64_t>(migrations.size()), version = found.number(0, 0);
  if (version > today)
    throw database_error("", "schema " + schema + " has version " + std::to_string(version) + ", this module writes " +
                                 std::to_string(today) + ": name another one");
  for (int64_t next = version; next < today; ++next)
    for (const char *statement : migrations[static_cast<size_t>(next)]) db.run(statement);
  if (version < today) {
    db.run("DELETE FROM version");
    db.run("INSERT INTO version VALUES (" + std::to_string(today) + ")");
  }
  db.run("COMMIT");
}

}  // namespace tenon::events_postgresql
