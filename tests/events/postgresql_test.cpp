// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon.postgresql with a real server: away, killed, silent, of others; and what it keeps and forgets.
#include "servers/postgresql.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "postgresql_query.hpp"
#include "sink_case.hpp"
#include "tenon/conformance/verify.hpp"
#include "tenon/events/event_hub.hpp"

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); }

// One server for all; each test has a schema of its own.
class Postgresql : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (postgresql_server::is_installed()) server_ = std::make_unique<postgresql_server>();
  }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed: tools/setup";
    static int number = 0;
    schema_ = "test_" + std::to_string(++number);
  }

  [[nodiscard]] std::string configuration(const std::string &more = "") const {
    return "{ connection: '" + server_->by_socket() + "', schema: " + schema_ + more + " }";
  }
  static std::vector<test_record> records(uint64_t first, uint64_t count, size_t message = 10) {
    std::vector<test_record> out;
    for (uint64_t id = first; id < first + count; ++id) {
      test_record r;
      r.id = id;
      r.timestamp_ns = now_ns() + static_cast<int64_t>(id);
      r.object = "o" + std::to_string(id);
      r.message.assign(message, 'x');
      out.push_back(std::move(r));
    }
    return out;
  }
  // As the host does after RETRY.
  static tenon_status until_taken(sink_case &sink, const std::vector<test_record> &some) {
    tenon_status status = TENON_RETRY;
    for (int tries = 0; tries < 400 && status == TENON_RETRY; ++tries) {
      status = sink.emit(some);
      if (status == TENON_RETRY) std::this_thread::sleep_for(10ms);
    }
    return status;
  }
  static std::vector<uint64_t> counted(uint64_t last) {
    std::vector<uint64_t> out;
    for (uint64_t id = 1; id <= last; ++id) out.push_back(id);
    return out;
  }

  static std::unique_ptr<postgresql_server> server_;
  std::string schema_;
};
std::unique_ptr<postgresql_server> Postgresql::server_;

TEST_F(Postgresql, RecordsOutliveTheInstanceAndComeOnceEach) {
  sink_case sink("tenon.postgresql", configuration());
  ASSERT_EQ(sink.emit(records(1, 3)), TENON_OK) << sink.error();
  sink.restart();
  ASSERT_EQ(until_taken(sink, records(2, 3)), TENON_OK) << sink.error();  // two of them again
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2, 3, 4));
}

TEST_F(Postgresql, OthersReadItAsATable) {
  sink_case sink("tenon.postgresql", configuration());
  auto some = records(1, 1);
  some[0].resource = {{"memory", 100}, {"vcore", 5}};
  ASSERT_EQ(sink.emit(some), TENON_OK) << sink.error();
  EXPECT_EQ(server_->sql("SELECT object || ' ' || resource FROM " + schema_ + ".event"), "o1 memory=100,vcore=5");
  EXPECT_EQ(server_->sql("SELECT number FROM " + schema_ + ".version"), "1");
}

TEST_F(Postgresql, ServerThatIsAwayAtTheStartComesAndComesBack) {
  server_->stop();
  sink_case sink("tenon.postgresql", configuration());
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("schema " + schema_ + ": connection to server"));
  EXPECT_EQ(sink.query(everything()).status, TENON_RETRY);
  server_->start();
  ASSERT_EQ(until_taken(sink, records(1, 1)), TENON_OK) << sink.error();
  server_->stop();
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
  server_->start();
  ASSERT_EQ(until_taken(sink, records(2, 1)), TENON_OK) << sink.error();
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));
}

TEST_F(Postgresql, ServerThatIsKilledHasWhatWasTakenAndEachOnce) {
  sink_case sink("tenon.postgresql", configuration(", timeout_ms: 2000"));
  uint64_t next = 1;
  for (int kills = 0; kills < 4; ++kills) {
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(60 + 37 * kills));
      server_->kill();
    });
    for (; sink.emit(records(next, 50, 500)) == TENON_OK; next += 50) {
    }
    killer.join();
    server_->start();
    ASSERT_EQ(until_taken(sink, records(next, 50, 500)), TENON_OK) << sink.error();  // committed before, perhaps
    next += 50;
    EXPECT_EQ(sink.query(everything()).ids(), counted(next - 1));
  }
}

TEST_F(Postgresql, ServerThatIsSilentOrHeldUpIsWaitedForAsLongAsIsSaid) {
  const auto refused = [](sink_case &sink) {
    const auto began = clock::now();
    EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
    EXPECT_LT(clock::now() - began, 3s);
    return sink.error();
  };
  sink_case sink("tenon.postgresql", configuration(", timeout_ms: 1000"));
  ASSERT_EQ(until_taken(sink, records(1, 1)), TENON_OK) << sink.error();
  std::thread holder(
      [&] { server_->sql("BEGIN; LOCK TABLE " + schema_ + ".event IN EXCLUSIVE MODE; SELECT pg_sleep(4)"); });
  while (server_->sql("SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND locktype = 'relation'") == "0") {
  }
  EXPECT_NE(refused(sink), "");
  holder.join();
  ASSERT_EQ(until_taken(sink, records(2, 1)), TENON_OK) << sink.error();
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));

  const silent_server silent;
  sink_case other("tenon.postgresql", "{ connection: 'host=127.0.0.1 port=" + std::to_string(silent.port()) +
                                          "', schema: " + schema_ + ", timeout_ms: 1000 }");
  EXPECT_THAT(refused(other), HasSubstr("does not answer within timeout_ms"));
}

// Lets whoever comes in, and says nothing more.
class server_that_falls_silent {
 public:
  server_that_falls_silent() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(descriptor_, reinterpret_cast<sockaddr *>(&address), size) != 0 || ::listen(descriptor_, 1) != 0 ||
        ::getsockname(descriptor_, reinterpret_cast<sockaddr *>(&address), &size) != 0)
      throw std::runtime_error("no port is free");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { greet(); });
  }
  ~server_that_falls_silent() {
    ::shutdown(descriptor_, SHUT_RDWR);
    thread_.join();
    ::close(client_);
    ::close(descriptor_);
  }
  server_that_falls_silent(const server_that_falls_silent &) = delete;
  server_that_falls_silent &operator=(const server_that_falls_silent &) = delete;
  [[nodiscard]] std::string connection() const {
    return "host=127.0.0.1 sslmode=disable gssencmode=disable user=a dbname=a port=" + std::to_string(port_);
  }

 private:
  void greet() {
    client_ = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    std::array<char, 1024> startup{};
    if (client_ < 0 || ::recv(client_, startup.data(), startup.size(), 0) <= 0) return;
    // AuthenticationOk, BackendKeyData, ReadyForQuery (PostgreSQL 15, 55.7).
    static constexpr char words[] = "R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I";
    (void)!::send(client_, words, sizeof words - 1, MSG_NOSIGNAL);
  }

  int descriptor_, client_ = -1, port_ = 0;
  std::thread thread_;
};

TEST_F(Postgresql, ServerThatFallsSilentOnceItIsConnectedIsWaitedForAsLongAsIsSaid) {
  const server_that_falls_silent server;
  sink_case sink("tenon.postgresql",
                 "{ connection: '" + server.connection() + "', schema: " + schema_ + ", timeout_ms: 500 }");
  const auto began = clock::now();
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_RETRY);
  EXPECT_LT(clock::now() - began, 5s);
  EXPECT_THAT(sink.error(), HasSubstr("does not answer within timeout_ms"));
}

TEST_F(Postgresql, NewestRecordsOfARunAreFoundAlongItsIndex) {
  sink_case sink("tenon.postgresql", configuration());
  for (uint64_t first = 1; first <= 20'000; first += 4'000)
    ASSERT_EQ(sink.emit(records(first, 4'000)), TENON_OK) << sink.error();
  server_->sql("ANALYZE " + schema_ + ".event");
  sdk::event_query wanted;
  wanted.run = "run-1";
  wanted.first_id = 19'901;
  for (const uint64_t last : {0, 20'000}) {
    wanted.last_id = last;
    const events_postgresql::statement one = events_postgresql::select(wanted, 0, 101);
    const std::string plan = server_->sql("SET search_path = " + schema_ + "; PREPARE newest(text, text) AS " +
                                          one.sql + "; EXPLAIN (FORMAT JSON) EXECUTE newest('run-1', 'run-1')");
    EXPECT_THAT(plan, HasSubstr("event_run_id_key"));
    EXPECT_THAT(plan, ::testing::Not(HasSubstr("Seq Scan")));
    EXPECT_THAT(plan, ::testing::Not(HasSubstr("event_pkey")));
  }
  auto asked = everything();
  const std::string run = "run-1";
  asked.run = as_text(run);
  asked.first_id = 19'901;
  EXPECT_EQ(sink.query(asked).records.size(), 100U);
  auto loss = records(20'001, 1);
  loss[0].last_id = 20'100;
  ASSERT_EQ(sink.emit(loss), TENON_OK) << sink.error();
  asked.first_id = 20'050;
  EXPECT_THAT(sink.query(asked).ids(), ElementsAre(20'001)) << "it reaches the first that is wanted";
}

TEST_F(Postgresql, OneProcessWritesToASchema) {
  sink_case sink("tenon.postgresql", configuration());
  ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK) << sink.error();
  {
    sink_case other("tenon.postgresql", configuration());
    EXPECT_EQ(other.emit(records(2, 1)), TENON_RETRY);
    EXPECT_THAT(other.error(), HasSubstr("another process writes to schema " + schema_));
  }
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_OK) << sink.error();
}

TEST_F(Postgresql, SchemaOfALaterVersionIsLeftAlone) {
  {
    sink_case sink("tenon.postgresql", configuration());
    ASSERT_EQ(sink.emit(records(1, 1)), TENON_OK);
  }
  server_->sql("UPDATE " + schema_ + ".version SET number = 99");
  sink_case sink("tenon.postgresql", configuration());
  EXPECT_EQ(sink.emit(records(2, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("has version 99, this module writes 1"));
  EXPECT_EQ(server_->sql("SELECT count(*) FROM " + schema_ + ".event"), "1");
}

TEST_F(Postgresql, DatabaseThatCannotHoldEveryCharacterIsRefused) {
  server_->sql("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
  sink_case sink("tenon.postgresql", "{ connection: '" + server_->by_socket("latin") + "', schema: " + schema_ + " }");
  EXPECT_EQ(sink.emit(records(1, 1)), TENON_RETRY);
  EXPECT_THAT(sink.error(), HasSubstr("the database is in LATIN1: want one in UTF8"));
}

TEST_F(Postgresql, PasswordComesFromAFile) {
  const auto file = server_->folder() / "pgpass";
  std::ofstream(file) << "*:*:*:*:" << postgresql_server::password << '\n';
  ::chmod(file.c_str(), 0600);
  sink_case with("tenon.postgresql", "{ connection: '" + server_->by_port() + " passfile=" + file.string() +
                                         "', schema: " + schema_ + " }");
  EXPECT_EQ(with.emit(records(1, 1)), TENON_OK) << with.error();
  sink_case without("tenon.postgresql",
                    "{ connection: '" + server_->by_port() + " passfile=/nowhere', schema: " + schema_ + " }");
  EXPECT_EQ(without.emit(records(2, 1)), TENON_RETRY);
  EXPECT_THAT(without.error(), HasSubstr("no password supplied"));
}

TEST_F(Postgresql, OldRecordsAreForgotten) {
  sink_case sink("tenon.postgresql", configuration(", retention: 12h"));
  auto some = records(1, 3);
  for (size_t i = 0; i < some.size(); ++i) some[i].timestamp_ns -= static_cast<int64_t>(i) * 10 * 3'600'000'000'000;
  ASSERT_EQ(sink.emit(some), TENON_OK) << sink.error();
  EXPECT_THAT(sink.query(everything()).ids(), ElementsAre(1, 2));
}

TEST_F(Postgresql, LossesAreNamedAndManyRowsComeInParts) {
  sink_case sink("tenon.postgresql", configuration());
  ASSERT_EQ(sink.emit(records(1, 2'500)), TENON_OK) << sink.error();
  auto lost = records(2'501, 1);
  lost[0].last_id = 2'600;
  lost[0].type = TENON_EVENT_SYSTEM;
  lost[0].reason = "EventsLost";
  ASSERT_EQ(sink.emit(lost), TENON_OK) << sink.error();
  ASSERT_EQ(sink.emit(records(2'601, 1)), TENON_OK) << sink.error();
  const query_answer all = sink.query(everything());
  ASSERT_EQ(all.records.size(), 2'502U);
  uint64_t next = 1;
  for (const test_record &one : all.records) {
    EXPECT_EQ(one.id, next);
    next = one.last_id + 1;
  }
  auto wanted = everything();
  wanted.limit = 2'000;
  const query_answer first = sink.query(wanted);
  EXPECT_EQ(first.records.size(), 2'000U);
  wanted.after = first.next;
  EXPECT_EQ(sink.query(wanted).records.size(), 502U);
}

TEST_F(Postgresql, WhatTheHubToldWhileTheServerWasKilledIsThereWithoutAGap) {
  const std::string text =
      "apiVersion: tenon/v1\nevents: [{ use: tenon.postgresql, config: " + configuration(", timeout_ms: 2000") +
      " }]\n";
  config::problems report("tenon.yaml");
  host::host_options options;
  options.use_cache = false;
  auto host = host::open_host(*host::parse_deployment(text, "tenon.yaml", report), std::move(options));
  ASSERT_TRUE(host) << host.why().text();
  auto hub = events::event_hub::start(std::move(*(*host)->event_sinks()), {});
  ASSERT_TRUE(hub) << hub.why().text();
  for (uint64_t id = 1; id <= 300; ++id) {
    const std::string node = "node-" + std::to_string(id);
    fact what;
    what.kind = fact_kind::node_removed;  // one record
    what.partition = "[rm]default";
    what.node = node;
    what.now_ms = now_ns() / 1'000'000;
    (*hub)->listener().take(what);
    if (id == 100) server_->kill();
    if (id == 200) server_->start();
  }
  ASSERT_TRUE((*hub)->flush(30s));
  hub->reset();
  EXPECT_EQ(server_->sql("SELECT count(*) FROM " + schema_ + ".event"), "300");
  EXPECT_EQ(server_->sql("SELECT max(last_id) FROM " + schema_ + ".event"), "300");
}

TEST_F(Postgresql, ProcessThatIsKilledHasKeptWhatItSaidItKept) {
  EXPECT_NO_THROW(run_program({TENON_EVENT_KILL, "--module", "tenon.postgresql", "--configuration",
                               configuration(", retention: '0'"), "--kills", "15", "--seed", "1"},
                              server_->folder() / "kills"));
}

TEST_F(Postgresql, ConformanceIsThatOfEverySink) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a library with a sanitizer in it takes the memory of the whole process over, which is refused";
#endif
  ::setenv("PGHOST", server_->folder().c_str(), 1);
  ::setenv("PGPORT", server_->port().c_str(), 1);
  ::setenv("PGUSER", "tenon", 1);
  ::setenv("PGDATABASE", "postgres", 1);
  conformance::verify_options options;
  options.manifest =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib/tenon/modules/postgresql.yaml";
  options.limit = 20s;
  const auto report = conformance::verify(options);
  for (const char *name : {"PGHOST", "PGPORT", "PGUSER", "PGDATABASE"}) ::unsetenv(name);
  ASSERT_TRUE(report) << report.why().text();
  for (const conformance::check_result &one : report->results) {
    EXPECT_FALSE(one.bad()) << one.check.id << ": " << one.text;
    // The kit skips these two here, with its reason; that kills lose nothing is tested above.
    if (one.check.id == "sink-outlives-kill" || one.check.id == "sink-full-disk") continue;
    EXPECT_FALSE(one.check.id.starts_with("sink-") && one.how != conformance::outcome::passed)
        << one.check.id << ": " << one.text;
  }
}

TEST(PostgresqlConfiguration, ServerOfANetworkThatNeedNotShowWhoItIsIsWarnedOf) {
  const auto warned = [](const std::string &connection) {
    return sink_case("tenon.postgresql", "{ schema: tenon, connection: '" + connection + "' }").log();
  };
  EXPECT_THAT(warned("host=db.example.com"), HasSubstr("whoever answers for db.example.com is believed"));
  EXPECT_THAT(warned("host=a,/run/postgresql,b sslmode=verify-ca"), HasSubstr("for a, b is"));
  EXPECT_THAT(warned("postgresql://a/tenon"), HasSubstr("for a is"));
  EXPECT_THAT(warned("hostaddr=10.0.0.1 host=a sslmode=verify-full"), IsEmpty());
  EXPECT_THAT(warned("host=/run/postgresql"), IsEmpty());
}

TEST(PostgresqlConfiguration, WhatIsWrongIsRefusedByItsKey) {
  const auto refusal = [](const std::string &configuration) -> std::string {
    try {
      const sink_case sink("tenon.postgresql", configuration);
    } catch (const std::runtime_error &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("{ schema: tenon }"), "accepted");
  EXPECT_THAT(refusal("{}"), HasSubstr("schema"));
  EXPECT_THAT(refusal("{ schema: 'a\"b' }"), HasSubstr("schema"));
  EXPECT_THAT(refusal("{ schema: a, retention: 7 weeks }"), HasSubstr("\"retention\": want a number with d"));
  EXPECT_THAT(refusal("{ schema: a, connection: 'password=x' }"), HasSubstr("want passfile, a file that has the"));
  EXPECT_THAT(refusal("{ schema: a, connection: 'hots=x' }"), HasSubstr("invalid connection option \"hots\""));
}

}  // namespace
}  // namespace tenon::testing
