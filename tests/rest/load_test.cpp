// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Many clients at once while the scheduler works, streams of events, and what each client may have.
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace asio = boost::asio;

class Load : public rest_case {};

TEST_F(Load, TwoHundredClientsWhileScheduling) {
  open();
  const uint64_t session = small_cluster();
  std::atomic<bool> done = false;
  std::atomic<uint64_t> good = 0, bad = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 200; ++i) {
    clients.emplace_back([&, i] {
      static const std::vector<std::string> paths = {"/ws/v1/partition/default/nodes",
                                                     "/ws/v1/partition/default/queues",
                                                     "/ws/v1/partitions",
                                                     "/ws/v1/metrics",
                                                     "/ws/v1/partition/default/applications/active",
                                                     "/ws/v1/scheduler/healthcheck"};
      for (int k = 0; k < 20; ++k) {
        const reply r = get(paths[static_cast<size_t>(i + k) % paths.size()]);
        ++(r.status == 200 ? good : bad);
      }
    });
  }
  std::thread rm([&] {
    for (int i = 0; !done; ++i) {
      interface::requests batch;
      const std::string key = "more-" + std::to_string(i);
      batch.ask({.application = "app-1", .key = key, .resources = {{"vcore", 1}}});
      submit(session, batch);
      std::this_thread::yield();
      interface::requests release;
      release.release("app-1", key);
      submit(session, release);
    }
  });
  for (std::thread &one : clients) one.join();
  done = true;
  rm.join();
  EXPECT_EQ(good, 4000U);
  EXPECT_EQ(bad, 0U);
}

TEST_F(Load, EventsStreamAsTheyHappen) {
  open({"max_streams_per_client: 1"});
  const uint64_t session = small_cluster();
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port_});
  asio::write(socket, asio::buffer(std::string("GET /ws/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")));
  asio::streambuf buffer;
  asio::read_until(socket, buffer, "InstanceUUID");
  interface::requests batch;
  batch.application("streamed", "root.default");
  submit(session, batch);
  asio::read_until(socket, buffer, "streamed");
  const reply second = get("/ws/v1/events/stream");
  EXPECT_EQ(second.status, 503U);
  EXPECT_EQ(second.json().at("message"), "Too many streaming connections");
}

TEST_F(Load, OneClientMayAskThousandsOfTimesAtOnce) {
  open();
  asio::io_context io;
  asio::ip::tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), port_});
  std::thread asks([&] {
    std::string all;
    for (int i = 0; i < 6000; ++i) all += "OPTIONS /ws/v1/partitions HTTP/1.1\r\nHost: localhost\r\n\r\n";
    asio::write(socket, asio::buffer(all));
  });
  asio::streambuf buffer;
  for (int i = 0; i < 6000; ++i) {
    const size_t length = asio::read_until(socket, buffer, "\r\n\r\n");
    std::string head(asio::buffers_begin(buffer.data()), asio::buffers_begin(buffer.data()) + 12);
    EXPECT_EQ(head, "HTTP/1.1 200") << i;
    buffer.consume(length);
    if (head != "HTTP/1.1 200") break;
  }
  asks.join();
}

TEST_F(Load, FastClientsAreToldToWait) {
  open({"requests_per_second_per_client: 5"});
  unsigned refused = 0;
  for (int i = 0; i < 50; ++i) refused += get("/ws/v1/partitions").status == 429 ? 1 : 0;
  EXPECT_GT(refused, 0U);
}

TEST_F(Load, RefusalsSayWhatIsWanted) {
  open();
  const reply head = send(port_, "HEAD", "/ws/v1/events/stream");
  EXPECT_EQ(head.status, 405U);
  EXPECT_EQ(head.headers.at("allow"), "GET, OPTIONS");
  const reply basic = get("/ws/v1/partitions", {{"Authorization", "Basic cm9vdDpyb290"}});
  EXPECT_EQ(basic.status, 401U);
  EXPECT_EQ(basic.json().at("message"), "want a token: Authorization: Bearer TOKEN");
}

}  // namespace
}  // namespace tenon::rest::testing
