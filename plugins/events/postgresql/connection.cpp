// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace tenon::events_postgresql {
namespace {

// In one line, as libpq's end with line ends.
std::string trimmed(std::string_view text) {
  std::string out(text);
  while (!out.empty() && out.back() == '\n') out.pop_back();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

}  // namespace

int64_t rows::number(int row, int column) const {
  const std::string_view digits = text(row, column);
  int64_t out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

std::string_view rows::text(int row, int column) const {
  return {PQgetvalue(it_.get(), row, column), static_cast<size_t>(PQgetlength(it_.get(), row, column))};
}

connection::connection(const std::string &where, std::chrono::milliseconds timeout) : timeout_(timeout) {
  // What stands in `where` is expanded first; the encoding goes with the first words to the server.
  constexpr std::array<const char *, 3> keys{"dbname", "client_encoding", nullptr};
  const std::array<const char *, 3> values{where.c_str(), "UTF8", nullptr};
  it_.reset(PQconnectStartParams(keys.data(), values.data(), 1));
  if (it_ == nullptr) throw database_error("", "no memory");
  if (PQstatus(it_.get()) == CONNECTION_BAD) fail();
  const clock::time_point until = clock::now() + timeout_;
  for (auto next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK; next = PQconnectPoll(it_.get())) {
    if (next == PGRES_POLLING_FAILED) fail();
    wait_for(next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until);
  }
  PQsetnonblocking(it_.get(), 1);
  PQsetNoticeProcessor(
      it_.get(), [](void *, const char *) {}, nullptr);  // else they go to the standard error
}

rows connection::run(const std::string &sql, const std::vector<std::string> &parameters) {
  std::vector<const char *> values;
  for (const std::string &one : parameters) values.push_back(one.c_str());
  const clock::time_point until = clock::now() + timeout_;
  if (PQsendQueryParams(it_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr,
                        nullptr, 0) == 0)
    fail();
  for (int left = PQflush(it_.get()); left != 0; left = PQflush(it_.get())) {
    if (left < 0) fail();
    wait_for(POLLIN | POLLOUT, until);
    if (PQconsumeInput(it_.get()) == 0) fail();
  }
  const auto next = [&] {
    while (PQisBusy(it_.get()) != 0) {
      wait_for(POLLIN, until);
      if (PQconsumeInput(it_.get()) == 0) fail();
    }
    return PQgetResult(it_.get());
  };
  PGresult *first = next();
  if (first == nullptr) fail();
  rows out(first);
  const ExecStatusType status = PQresultStatus(first);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    const char *state = PQresultErrorField(first, PG_DIAG_SQLSTATE);
    fail(state == nullptr ? "" : state);
  }
  while (PGresult *more = next()) PQclear(more);
  return out;
}

void connection::wait_for(short events, clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    pollfd one{PQsocket(it_.get()), events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return;
    if (ready == 0) throw database_error("", "the server does not answer within timeout_ms");
    if (errno != EINTR) throw database_error("", "the connection cannot be waited for");
  }
}

void connection::fail(const std::string &state) const {
  throw database_error(state, trimmed(PQerrorMessage(it_.get())));
}

}  // namespace tenon::events_postgresql
