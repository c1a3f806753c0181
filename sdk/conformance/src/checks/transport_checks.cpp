// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Transports without any RM: they start, end in time whatever they are doing, give everything back, and believe nobody.
#include <array>
#include <chrono>
#include <thread>

#include "growth.hpp"
#include "guarded_memory.hpp"
#include "listening.hpp"
#include "probe_table.hpp"
#include "tenon/abi/rm_answers.h"
#include "transport_at_work.hpp"

namespace tenon::conformance {
namespace {

using namespace std::chrono_literals;

// Answers for one RM, all alike.
class some_answers {
 public:
  some_answers(size_t count, tenon_rm_session session, bool guarded = false) : memory_(guarded) {
    tenon_rm_verdict verdict{};
    verdict.size = sizeof verdict;
    verdict.type = TENON_RM_ACCEPTED_APPLICATION;
    verdict.id = {"app-1", 5};
    std::vector<const tenon_rm_message *> messages;
    for (size_t i = 0; i < count; ++i) {
      const auto *one = memory_.structure("an answer", verdict, sizeof verdict, true, 0);
      messages.push_back(reinterpret_cast<const tenon_rm_message *>(one));
    }
    const auto *list = memory_.copy<const tenon_rm_message *>("the list of answers", messages);
    in_ = {sizeof in_, 0, session, {"[rm]default", 11}, 1, list, count};
    memory_.freeze();
  }

  [[nodiscard]] const tenon_transport_deliver_in &in() const { return in_; }

 private:
  guarded_memory memory_;
  tenon_transport_deliver_in in_{};
};

void starts(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.start();
  one.stop();
  one.want_no_complaint();
}

void starts_again(probe &p) {
  const opened_module module = opened_module::start(p);
  for (int i = 0; i < 3; ++i) {
    transport_at_work one(module);
    one.start();
    one.stop();
    one.of().deactivate();
    one.of().activate();
    one.start();
    one.stop();
  }
}

void refuses_with_words(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module, test_host::services::none);
  std::string why;
  const tenon_status status = one.try_start(why);
  if (status != TENON_OK && why.empty())
    probe::fail("start gave " + status_name(status) + " to a host without services and says nothing of why");
}

void stops_in_time(probe &p) {
  const opened_module module = opened_module::start(p);
  for (const auto drain : {0ms, 300ms}) {
    transport_at_work one(module);
    one.start();
    std::vector<raw_connection> silent;
    for (const listening_socket &socket : listening_socket::all()) {
      for (int i = 0; i < 3; ++i) silent.push_back(socket.connect());
      silent.push_back(socket.connect());
      silent.back().send("P");
    }
    (void)one.deliver(some_answers(3, 99).in());
    one.stop(drain);
    for (const raw_connection &each : silent) {
      if (!each.is_closed_within(1s)) probe::fail("after stop returned a connection is still open");
    }
  }
}

void stops_twice(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.stop();  // never started
  one.start();
  one.stop();
  one.stop();
  std::string why;
  transport_at_work refused(module, test_host::services::none);
  (void)refused.try_start(why);
  refused.stop();
}

void quiet_after_stop(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.start();
  std::vector<raw_connection> open;
  for (const listening_socket &socket : listening_socket::all()) open.push_back(socket.connect());
  one.stop();
  std::this_thread::sleep_for(200ms);
  one.destroy();
  std::this_thread::sleep_for(100ms);
  one.want_no_complaint();
}

void ends_threads(probe &p) {
  const opened_module module = opened_module::start(p);
  const size_t before = threads_now();
  for (int i = 0; i < 3; ++i) {
    transport_at_work one(module);
    one.start();
    one.stop();
    if (const size_t after = threads_left(before); after > before)
      probe::fail(number(after - before) + " threads are left after stop");
  }
}

void closes_files(probe &p) {
  const opened_module module = opened_module::start(p);
  // Once before: what libraries open on first use is theirs.
  for (int i = 0; i < 4; ++i) {
    const size_t before = open_files();
    {
      transport_at_work one(module);
      one.start();
      std::vector<raw_connection> open;
      for (const listening_socket &socket : listening_socket::all()) open.push_back(socket.connect());
      one.stop();
    }
    if (i > 0 && open_files() > before)
      probe::fail(number(open_files() - before) + " descriptors are left after stop and destroy");
  }
}

void keeps_no_memory(probe &p) {
  const opened_module module = opened_module::start(p);
  no_growth("a transport that is started, stopped and destroyed", 40, [&] {
    transport_at_work one(module);
    one.start();
    (void)one.deliver(some_answers(3, 99).in());
    one.stop();
  });
}

void declines_strangers(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.start();
  for (const tenon_rm_session session : {tenon_rm_session{1}, tenon_rm_session{0}, tenon_rm_session{UINT64_MAX}}) {
    for (const size_t count : {1UL, 300UL}) {
      const delivered told = one.deliver(some_answers(count, session).in());
      if (told.status != TENON_DECLINED || told.taken != 0)
        probe::fail("deliver gave " + status_name(told.status) + " and took " + number(told.taken) + " of " +
                    number(count) + " answers for a session that never entered, want DECLINED and none");
    }
    for (uint32_t why = TENON_RM_ENDED_REPLACED; why <= TENON_RM_ENDED_STOPPING + 1; ++why) one.ended(session, why);
  }
  one.want_no_complaint();
}

void reads_what_is_given(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.start();
  for (const size_t count : {0UL, 1UL, 7UL}) {
    for (const uint32_t more : {0U, 64U}) {
      const some_answers answers(count, 5, true);
      const delivered told = one.deliver(answers.in(), sizeof(tenon_transport_deliver_out) + more);
      if (told.taken > count)
        probe::fail("deliver took " + number(told.taken) + " answers where " + number(count) + " were given");
    }
  }
}

// Bytes that are no protocol's, and beginnings that several have.
std::vector<std::string> hostile_texts(dice &d) {
  using namespace std::string_literals;
  std::vector<std::string> out{"",
                               "\n",
                               "\0\0\0\0"s,
                               "\xFF\xFF\xFF\xFF"s,
                               "\x7F\xFF\xFF\xFF"s + std::string(100, 'x'),
                               "\0\0\0\x04"s,
                               std::string(70'000, 'A'),
                               "GET / HTTP/1.1\r\n",
                               "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                               "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
                               "GET " + std::string(40'000, '/') + " HTTP/1.1\r\n\r\n",
                               "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                               "\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03"s,
                               "\x10\xFF\xFF\xFF\x7F\x00\x04MQTT"s};
  const auto noise = [&](size_t length) {
    std::string bytes;
    while (bytes.size() < length) bytes += static_cast<char>(d.below(256));
    return bytes;
  };
  for (int i = 0; i < 20; ++i) out.push_back(noise(1 + d.below(4096)));
  for (int i = 0; i < 20; ++i) {
    // A frame of HTTP/2 of some type, with a length that may be a lie.
    const std::string payload = noise(d.below(64));
    out.push_back("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"s + '\0' + '\0' +
                  static_cast<char>(d.chance(50) ? payload.size() : d.below(256)) + static_cast<char>(d.below(12)) +
                  static_cast<char>(d.below(256)) + "\0\0\0"s + static_cast<char>(d.below(4)) + payload);
  }
  return out;
}

void believes_nobody(probe &p) {
  const opened_module module = opened_module::start(p);
  transport_at_work one(module);
  one.start();
  const auto sockets = listening_socket::all();
  if (sockets.empty()) probe::skip("it listens on no socket");
  dice d(p.seed());
  const auto texts = hostile_texts(d);
  p.step("hostile bytes on " + sockets.front().address());
  for (const listening_socket &socket : sockets) {
    std::vector<raw_connection> open;
    for (const std::string &text : texts) {
      open.push_back(socket.connect());
      open.back().send(text);
      if (d.chance(50)) open.pop_back();  // gone before anybody answers
    }
    std::this_thread::sleep_for(200ms);
  }
  for (const listening_socket &socket : sockets) (void)socket.connect();
  p.step("");
  one.want_no_complaint();
  if (one.scheduler().calls() != 0)
    probe::fail("bytes that are no protocol's reached the scheduler: services were called " +
                number(one.scheduler().calls()) + " times");
  one.stop();
}

constexpr std::array transport_list{
    check{"transport-starts", "transports", about::transport, "instance-starts",
          "With the usual configuration start and stop succeed.", starts},
    check{"transport-starts-again", "transports", about::transport, "transport-starts",
          "After stop it can be started again: the same instance, and another one.", starts_again},
    check{"transport-refusal-words", "transports", about::transport, "transport-starts-again",
          "A host without its services is refused with words, or served.", refuses_with_words},
    check{"transport-stops-in-time", "transports", about::transport, "transport-starts-again",
          "stop returns soon after the time for draining, whatever connections there are, and none is left open.",
          stops_in_time},
    check{"transport-stops-twice", "transports", about::transport, "transport-starts-again",
          "stop without start, after a refused start, and once more does nothing.", stops_twice},
    check{"transport-quiet-after-stop", "transports", about::transport, "transport-starts-again",
          "After stop returned no service of the host is called.", quiet_after_stop},
    check{"transport-ends-threads", "transports", about::transport, "transport-starts-again",
          "After stop no thread of it is left.", ends_threads},
    check{"transport-closes-files", "transports", about::transport, "transport-starts-again",
          "After stop and destroy no descriptor of it is left.", closes_files},
    check{"transport-keeps-no-memory", "transports", about::transport, "transport-starts-again",
          "What start and connections took is free again after destroy.", keeps_no_memory},
    check{"transport-declines-strangers", "transports", about::transport, "transport-starts-again",
          "Answers for a session that never entered are declined, and none of them is taken.", declines_strangers},
    check{"transport-reads-what-is-given", "transports", about::transport, "transport-starts-again",
          "deliver reads the answers that it is given and no more, and takes no more than there are.",
          reads_what_is_given},
    check{"transport-believes-nobody", "transports", about::transport, "transport-starts-again",
          "Bytes that are no protocol's end in a closed connection: no crash, no call of the scheduler.",
          believes_nobody},
};

}  // namespace

checks transport_checks() { return transport_list; }

}  // namespace tenon::conformance
