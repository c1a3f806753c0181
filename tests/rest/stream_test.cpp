// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Streams of events while the sink that knows what was before does not answer.
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <condition_variable>
#include <thread>

#include "rest_case.hpp"
#include "tenon/host/offered_service.hpp"

namespace tenon::rest::testing {
namespace {

namespace asio = boost::asio;

// Events of the test itself, where a call can be held as by a sink that is locked.
class held_events {
 public:
  enum class call : uint8_t { none, range, take };

  void hold(call which) {
    const std::lock_guard lock(mutex_);
    held_ = which;
    waits_ = false;
    changed_.notify_all();
  }
  void let_go() { hold(call::none); }
  [[nodiscard]] bool holds() {
    const std::lock_guard lock(mutex_);
    return waits_;
  }
  void await_caller() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, patience, [&] { return waits_; }));
  }
  // A caller that nobody lets go gives up, so that whoever waits behind it fails and does not hang.
  void pass(call which) {
    std::unique_lock lock(mutex_);
    if (held_ != which) return;
    waits_ = true;
    changed_.notify_all();
    if (changed_.wait_for(lock, patience, [&] { return held_ != which; })) return;
    held_ = call::none;
    waits_ = false;
  }

  std::unique_ptr<events::event_hub> hub;
  static const tenon_host_events table;

 private:
  static constexpr auto patience = std::chrono::seconds(30);
  std::mutex mutex_;
  std::condition_variable changed_;
  call held_ = call::none;
  bool waits_ = false;
};

held_events &of(const tenon_host *host) {
  return *static_cast<held_events *>(host::service_context(host, TENON_HOST_EVENTS));
}

const tenon_host_events held_events::table = {
    sizeof(tenon_host_events),
    0,
    [](const tenon_host *host, const tenon_event_query_in *in, tenon_event_query_out *out) {
      return of(host).hub->query(*in, *out);
    },
    [](const tenon_host *host, tenon_events_range_out *out) {
      of(host).pass(held_events::call::range);
      return of(host).hub->range(*out);
    },
    [](const tenon_host *host, const tenon_events_subscribe_in *in, tenon_events_subscribe_out *out) {
      return of(host).hub->subscribe(*in, *out);
    },
    [](const tenon_host *host, const tenon_events_take_in *in, tenon_events_take_out *out) {
      of(host).pass(held_events::call::take);
      return of(host).hub->take(*in, *out);
    },
    [](const tenon_host *host, const tenon_events_unsubscribe_in *in) {
      return of(host).hub->unsubscribe(in->subscription);
    }};

class Stream : public rest_case {
 protected:
  Stream() { events_ = "[]"; }
  void before_start(host::module_host &modules) override {
    auto hub = events::event_hub::start({}, {});
    ASSERT_TRUE(hub) << hub.why().text();
    calls_.hub = std::move(*hub);
    modules.offer({TENON_HOST_EVENTS, &held_events::table, &calls_});
  }
  void TearDown() override {
    calls_.let_go();
    rest_case::TearDown();
  }
  void ask(const std::string &target) {
    socket_ = asio::ip::tcp::socket(io_);
    socket_.connect({asio::ip::address_v4::loopback(), port_});
    asio::write(socket_, asio::buffer("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  }
  void note(uint64_t times) {
    events::audit_note note;
    note.object = "noted";
    for (uint64_t i = 0; i < times; ++i) calls_.hub->audit(note, 0);
    ASSERT_TRUE(calls_.hub->flush(std::chrono::seconds(30)));
  }
  // Everything up to this text; nothing, where it does not come.
  std::string read_until(const std::string &text) {
    size_t end = 0;
    asio::async_read_until(socket_, buffer_, text, [&](auto, size_t length) { end = length; });
    io_.restart();
    io_.run_for(std::chrono::seconds(30));
    if (end == 0) {
      ADD_FAILURE() << text << " does not come";
      socket_.close();
      io_.run();
    }
    std::string out(asio::buffers_begin(buffer_.data()), asio::buffers_begin(buffer_.data()) + static_cast<long>(end));
    buffer_.consume(end);
    return out;
  }

  // Once for each server: a stream of before would be held, too, on a thread that must not be.
  void expect_nobody_waits_for(held_events::call held) {
    open();
    calls_.hold(held);
    ask("/ws/v1/events/stream?count=1000");
    calls_.await_caller();
    EXPECT_EQ(get("/ws/v1/clusters").status, 200U);
    EXPECT_TRUE(calls_.holds()) << "the answer came only when the sink had answered";
    note(1);
    calls_.let_go();
    read_until("InstanceUUID");
    read_until("\"noted\"");
  }

  held_events calls_;
  asio::io_context io_;
  asio::ip::tcp::socket socket_{io_};
  asio::streambuf buffer_;
};

TEST_F(Stream, ThatAsksTheSinkWhatItHasHoldsUpNobodyElse) { expect_nobody_waits_for(held_events::call::range); }

TEST_F(Stream, ThatReadsWhatTheSinkHasHoldsUpNobodyElse) { expect_nobody_waits_for(held_events::call::take); }

TEST_F(Stream, OfAClientThatIsTooSlowEndsAndSaysWhatWasNotSent) {
  open();
  calls_.hold(held_events::call::take);
  ask("/ws/v1/events/stream");
  calls_.await_caller();
  constexpr uint64_t noted = 6000;
  note(noted);
  calls_.let_go();
  const std::string sent = read_until("were not sent");
  uint64_t lines = 0;
  for (size_t at = sent.find("\"noted\""); at != std::string::npos; at = sent.find("\"noted\"", at + 1)) ++lines;
  EXPECT_GT(lines, 0U);
  EXPECT_NE(sent.find("Event stream was closed by the producer: the client does not keep up, " +
                      std::to_string(noted - lines) + " records were not sent"),
            std::string::npos)
      << lines << " records came, then: " << sent.substr(sent.rfind('{') + 1);
  read_until("\r\n0\r\n\r\n");  // it is over
}

}  // namespace
}  // namespace tenon::rest::testing
