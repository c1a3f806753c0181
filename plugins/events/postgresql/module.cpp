// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Records in a PostgreSQL database: each batch is one transaction, and taken once the server says that it is committed.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "column_texts.hpp"
#include "connection.hpp"
#include "database_tables.hpp"
#include "postgresql_query.hpp"
#include "tenon/sdk/event_sink.hpp"
#include "tenon/sinks/stored_record.hpp"

namespace {

using namespace tenon::sdk;
using namespace tenon::events_postgresql;

struct free_options {
  void operator()(PQconninfoOption *all) const { PQconninfoFree(all); }
};
using option_list = std::unique_ptr<PQconninfoOption, free_options>;

std::string_view option(const option_list &all, std::string_view keyword) {
  for (const PQconninfoOption *one = all.get(); one != nullptr && one->keyword != nullptr; ++one)
    if (keyword == one->keyword && one->val != nullptr) return one->val;
  return {};
}

option_list parsed(const std::string &where) {
  char *problem = nullptr;
  option_list out(PQconninfoParse(where.c_str(), &problem));
  const std::string reason = problem == nullptr ? "" : problem;
  PQfreemem(problem);
  if (!reason.empty()) config::refuse("connection", "what libpq takes, as host=db.example.com dbname=tenon: " + reason);
  return out;
}

// A password is for a file: the deployment is read by more people than may have it.
std::string checked_connection(const std::string &where) {
  if (!option(parsed(where), "password").empty())
    config::refuse("connection", "passfile, a file that has the password, in place of password");
  return where;
}

// Hosts of a network that need not show that they are who they are called. Sockets of this machine begin with / or @.
std::string unverified_hosts(const std::string &where) {
  const option_list given = parsed(where), usual(PQconndefaults());
  const auto value = [&](std::string_view keyword) {
    const std::string_view own = option(given, keyword);
    return own.empty() ? option(usual, keyword) : own;
  };
  if (value("sslmode") == "verify-full") return {};
  const std::string_view addresses = value("hostaddr"), all = addresses.empty() ? value("host") : addresses;
  std::string out;
  for (std::string_view left = all; !left.empty();) {
    const std::string_view one = left.substr(0, left.find(','));
    if (!one.empty() && one[0] != '/' && one[0] != '@') out.append(out.empty() ? "" : ", ").append(one);
    left.remove_prefix(std::min(one.size() + 1, left.size()));
  }
  return out;
}

// A row of an answer, its texts as they were told.
class read_row {
 public:
  read_row(const rows &all, int at) : all_(all), at_(at) {
    for (size_t column = 0; column < texts_.size(); ++column)
      texts_[column] = read_text(all.text(at, static_cast<int>(column)));
  }
  [[nodiscard]] int64_t number(int column) const { return all_.number(at_, column); }
  [[nodiscard]] std::string_view text(int column) const { return texts_[static_cast<size_t>(column)]; }

 private:
  const rows &all_;
  int at_;
  std::array<std::string, 18> texts_;
};

struct postgresql {
  static constexpr std::string_view name = "postgresql";

  explicit postgresql(const config &settings)
      : where_(checked_connection(settings.text("connection", ""))),
        schema_(settings.text("schema", "")),
        retention_ns_(tenon::sinks::retention_ns(settings.text("retention", "7d"))),
        timeout_(settings.whole("timeout_ms", 10'000, 100, 600'000)) {}

  void init(const host_services &host) const {
    if (const std::string hosts = unverified_hosts(where_); !hosts.empty())
      host.log(TENON_LOG_WARNING, "whoever answers for " + hosts +
                                      " is believed to be the server, and others may read along; add "
                                      "sslmode=verify-full to connection");
  }

  // Committed when it returns. Records that are there already are left as they are: a batch may come again.
  void emit(const event_batch &records) {
    if (records.size() == 0) return;
    reached([&] { insert(records); });
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
  static constexpr uint64_t look_after = 10'000;               // records between two looks at age,
  static constexpr auto look_every = std::chrono::minutes(1);  // or less, where that comes first
  static constexpr uint64_t at_once = 1'000;                   // rows of an answer
  static constexpr int forgotten_at_once = 10'000;

  // Connects where there is no connection, and gives it up after any error: what became of it is not known then.
  template <class Body>
  void reached(Body &&body) {
    try {
      if (!db_) connect();
      body();
    } catch (const database_error &e) {
      db_.reset();
      // 22: what no such column can hold. It would not be otherwise the next time.
      if (e.state.starts_with("22")) throw declined(e.what());
      throw unavailable("schema " + schema_ + ": " + e.what());
    }
  }

  void connect() {
    db_.emplace(where_, timeout_);
    db_->run("SET statement_timeout = " + std::to_string(timeout_.count()));
    take_over(*db_, schema_);
  }

  void insert(const event_batch &records) {
    std::array<array_parameter, 17> values;
    for (const event record : records) {
      size_t at = 0;
      values[at++].add(record.run());
      for (const int64_t number :
           {static_cast<int64_t>(record.id()), static_cast<int64_t>(record.last_id()), int64_t{record.type()},
            record.timestamp_ns(), int64_t{record.change()}, int64_t{record.detail()}})
        values[at++].add(number);
      for (const std::string_view text :
           {record.partition(), record.object(), record.reference(), record.group(), record.reason(), record.message(),
            record.application(), record.queue(), record.node()})
        values[at++].add(text);
      values[at].add(tenon::sinks::packed_amounts(record));
    }
    std::vector<std::string> parameters;
    for (array_parameter &one : values) parameters.push_back(std::move(one).finished());
    db_->run("INSERT INTO event (" + std::string(tenon::sinks::columns) +
                 ") SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], "
                 "$6::integer[], $7::integer[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], "
                 "$13::text[], $14::text[], $15::text[], $16::text[], $17::text[]) ON CONFLICT (run, id) DO NOTHING",
             parameters);
  }

  // A part at a time, so that no statement takes long.
  void forget_old() {
    since_look_ = 0;
    looked_ = clock::now();
    if (retention_ns_ == 0) return;
    const std::chrono::nanoseconds present = std::chrono::system_clock::now().time_since_epoch();
    for (int round = 0; round < 16; ++round) {
      const rows gone = db_->run(
          "WITH gone AS (DELETE FROM event WHERE position IN (SELECT position FROM event WHERE timestamp_ns < $1 "
          "ORDER BY timestamp_ns LIMIT $2) RETURNING 1) SELECT count(*) FROM gone",
          {std::to_string(present.count() - retention_ns_), std::to_string(forgotten_at_once)});
      if (gone.number(0, 0) < forgotten_at_once) return;
    }
  }

  uint64_t give_all(const event_query &wanted, const event_taker &take) {
    uint64_t left = wanted.limit == 0 ? UINT64_MAX : wanted.limit, position = wanted.after;
    for (;;) {
      const uint64_t asked = std::min(left, at_once) + 1;  // one more tells whether there is more
      const statement one = select(wanted, position, asked);
      const rows found = db_->run(one.sql, one.parameters);
      for (int at = 0; at < found.count(); ++at) {
        if (static_cast<uint64_t>(at) + 1 == asked) break;
        position = static_cast<uint64_t>(found.number(at, 0));
        if (!tenon::sinks::give(read_row(found, at), take)) return position;
        --left;
      }
      if (static_cast<uint64_t>(found.count()) < asked) return 0;
      if (left == 0) return position;
    }
  }

  std::string where_, schema_;
  int64_t retention_ns_;
  std::chrono::milliseconds timeout_;
  std::optional<connection> db_;
  uint64_t since_look_ = look_after;  // records; the first ones are looked at, too
  clock::time_point looked_;
};

}  // namespace

TENON_MODULE(event_sink<postgresql>)
