// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A connection to PostgreSQL that never waits longer than it is told: errors as exceptions in why.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/sdk/unavailable.hpp"

namespace tenon::events_postgresql {

// What the server or its library says is wrong; `state` is the server's SQLSTATE, empty where none came.
struct database_error : sdk::unavailable {
  database_error(std::string state_given, const std::string &why) : unavailable(why), state(std::move(state_given)) {}
  std::string state;
};

class rows {
 public:
  explicit rows(PGresult *taken) : it_(taken) {}

  [[nodiscard]] int count() const { return PQntuples(it_.get()); }
  [[nodiscard]] int64_t number(int row, int column) const;  // 0 where the value is NULL
  [[nodiscard]] std::string_view text(int row, int column) const;

 private:
  struct clear {
    void operator()(PGresult *it) const { PQclear(it); }
  };
  std::unique_ptr<PGresult, clear> it_;
};

class connection {
 public:
  // Connected when it returns. `where` is what libpq takes.
  connection(const std::string &where, std::chrono::milliseconds timeout);

  // One statement, with texts for $1, $2 and so on. After a database_error the connection is for nothing more.
  rows run(const std::string &sql, const std::vector<std::string> &parameters = {});

 private:
  using clock = std::chrono::steady_clock;
  struct finish {
    void operator()(PGconn *it) const { PQfinish(it); }
  };

  void wait_for(short events, clock::time_point until) const;
  [[noreturn]] void fail(const std::string &state = {}) const;

  std::unique_ptr<PGconn, finish> it_;
  std::chrono::milliseconds timeout_;
};

}  // namespace tenon::events_postgresql
