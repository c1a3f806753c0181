// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "database.hpp"

namespace tenon::events_sqlite {
namespace {

[[noreturn]] void fail(sqlite3 *db, int code) {
  throw database_error(code, db == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(db));
}

void check(sqlite3 *db, int code) {
  if (code != SQLITE_OK) fail(db, code);
}

}  // namespace

statement::statement(sqlite3 *db, std::string_view sql) {
  sqlite3_stmt *made = nullptr;
  check(db,
        sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &made, nullptr));
  it_.reset(made);
}

statement &statement::bind(int at, int64_t value) {
  check(sqlite3_db_handle(it_.get()), sqlite3_bind_int64(it_.get(), at, value));
  return *this;
}

statement &statement::bind(int at, std::string_view text) {
  const char *data = text.data() == nullptr ? "" : text.data();
  check(sqlite3_db_handle(it_.get()),
        sqlite3_bind_text(it_.get(), at, data, static_cast<int>(text.size()), SQLITE_STATIC));
  return *this;
}

bool statement::step() {
  const int code = sqlite3_step(it_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(it_.get()), code);
}

void statement::reset() {
  sqlite3_reset(it_.get());
  sqlite3_clear_bindings(it_.get());
}

std::string_view statement::text(int column) const {
  const auto *data = reinterpret_cast<const char *>(sqlite3_column_text(it_.get(), column));
  return {data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(it_.get(), column))};
}

database::database(const std::string &path, int busy_ms) {
  sqlite3 *made = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &made, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  it_.reset(made);
  check(made, code);
  sqlite3_extended_result_codes(made, 1);
  sqlite3_busy_timeout(made, busy_ms);
}

void database::run(const std::string &sql) const {
  check(it_.get(), sqlite3_exec(it_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

int64_t database::number(const std::string &sql) const {
  statement s(it_.get(), sql);
  return s.step() ? s.number(0) : 0;
}

}  // namespace tenon::events_sqlite
