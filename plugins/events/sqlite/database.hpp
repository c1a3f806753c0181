// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// SQLite's handles as values: opened and closed with their scope, errors as exceptions in why.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::events_sqlite {

// What SQLite says is wrong; `code` is its own.
struct database_error : sdk::unavailable {
  database_error(int code_given, const std::string &why) : unavailable(why), code(code_given) {}
  int code;
};

class statement {
 public:
  statement() = default;
  statement(sqlite3 *db, std::string_view sql);

  statement &bind(int at, int64_t value);
  statement &bind(int at, std::string_view text);  // borrowed until reset()
  // True: there is a row.
  bool step();
  void reset();

  [[nodiscard]] int64_t number(int column) const { return sqlite3_column_int64(it_.get(), column); }
  [[nodiscard]] std::string_view text(int column) const;

 private:
  struct finalize {
    void operator()(sqlite3_stmt *s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3_stmt, finalize> it_;
};

class database {
 public:
  database() = default;
  // Opened and made where it is not there.
  database(const std::string &path, int busy_ms);

  [[nodiscard]] sqlite3 *handle() const { return it_.get(); }
  [[nodiscard]] bool is_open() const { return it_ != nullptr; }
  void run(const std::string &sql) const;
  // The first column of the first row, 0 where there is none.
  [[nodiscard]] int64_t number(const std::string &sql) const;

 private:
  struct close {
    void operator()(sqlite3 *db) const { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, close> it_;
};

// Rolled back unless it was committed.
class transaction {
 public:
  explicit transaction(const database &db) : db_(db) { db_.run("BEGIN IMMEDIATE"); }
  ~transaction() {
    if (!done_) sqlite3_exec(db_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  transaction(const transaction &) = delete;
  transaction &operator=(const transaction &) = delete;
  void commit() {
    db_.run("COMMIT");
    done_ = true;
  }

 private:
  const database &db_;
  bool done_ = false;
};

}  // namespace tenon::events_sqlite
