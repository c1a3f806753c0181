// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The hub: ids without gaps, losses with their ranges, sinks that fail, followers that lag.
#include <gmock/gmock.h>

#include <condition_variable>
#include <set>
#include <thread>

#include "hub_fixture.hpp"

namespace tenon::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto patience = 30s;

// A sink that answers nothing until it is let go.
struct gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false, reached = false;
  void pass() {
    std::unique_lock lock(mutex);
    reached = true;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
  }
  void wait_until_reached() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reached; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};

void tell(events::event_hub &hub, uint64_t count, uint64_t from = 1) {
  for (uint64_t i = from; i < from + count; ++i) {
    const std::string node = "node-" + std::to_string(i);
    fact what;
    what.kind = fact_kind::node_removed;  // one record
    what.partition = "[rm]default";
    what.node = node;
    what.now_ms = static_cast<int64_t>(i);
    hub.listener().take(what);
  }
}

// Every id from 1 to `last`, each once: of a record, or in a loss.
void expect_contiguous(const std::vector<seen_record> &seen, uint64_t last) {
  uint64_t next = 1;
  for (const seen_record &r : seen) {
    ASSERT_EQ(r.id, next);
    next = r.last_id + 1;
  }
  EXPECT_EQ(next, last + 1);
}

TEST(EventHub, RecordsHaveContiguousIdsInTheOrderOfFacts) {
  sink_in_test sink;
  const auto hub = started({sink.listed()});
  tell(*hub, 5'000);
  ASSERT_TRUE(hub->flush(patience));
  const auto seen = sink.all();
  ASSERT_THAT(seen, SizeIs(5'000));
  expect_contiguous(seen, 5'000);
  EXPECT_EQ(seen[4'999].object, "node-5000");
  EXPECT_EQ(seen[4'999].timestamp_ns, int64_t{5'000} * 1'000'000);
  EXPECT_EQ(hub->counters().created, 5'000U);
  EXPECT_EQ(hub->counters().sinks[0].kept, 5'000U);
  EXPECT_EQ(hub->counters().sinks[0].acknowledged, 5'000U);
}

TEST(EventHub, FactsWithoutRoomAreCountedAndTheirIdsNamed) {
  sink_in_test sink;
  events::hub_options options;
  options.input_bytes = 65'536;
  const auto hub = started({sink.listed()}, options);
  // Far more than fits, faster than records are made: told without a pause, several times over.
  constexpr uint64_t told = 200'000;
  tell(*hub, told);
  ASSERT_TRUE(hub->flush(patience));
  const auto counters = hub->counters();
  EXPECT_GT(counters.lost, 0U);
  const auto seen = sink.all();
  expect_contiguous(seen, told);
  uint64_t named = 0;
  for (const seen_record &r : seen) {
    if (r.reason != "EventsLost") continue;
    named += r.last_id - r.id + 1;
    EXPECT_EQ(r.type, TENON_EVENT_SYSTEM);
    EXPECT_THAT(r.message, HasSubstr(std::to_string(r.id) + ".." + std::to_string(r.last_id)));
  }
  EXPECT_EQ(named, counters.lost);
}

TEST(EventHub, SlowSinkLosesForItselfAndIsTold) {
  sink_in_test slow, quick;
  gate held;
  slow.answer = [&] { return held.pass(), TENON_OK; };
  events::hub_options options;
  options.sink_records = 100;
  const auto hub = started({slow.listed(), quick.listed()}, options);
  tell(*hub, 10);
  held.wait_until_reached();
  for (uint64_t i = 0; i < 100; ++i) {
    tell(*hub, 10, 11 + i * 10);
    while (hub->counters().published < 20 + i * 10) std::this_thread::yield();
  }
  held.let_go();
  ASSERT_TRUE(hub->flush(patience));
  expect_contiguous(slow.all(), 1'010);
  expect_contiguous(quick.all(), 1'010);
  EXPECT_THAT(quick.all(), SizeIs(1'010));
  const auto sinks = hub->counters().sinks;
  EXPECT_GT(sinks[0].lost, 800U);
  EXPECT_EQ(sinks[1].lost, 0U);
}

TEST(EventHub, SinkThatIsSlowIsNotWaitedForLongerThanTheStopMayTake) {
  sink_in_test slow;
  slow.answer = [] { return std::this_thread::sleep_for(300ms), TENON_OK; };
  events::hub_options options;
  options.drain = 100ms;
  auto hub = started({slow.listed()}, options);
  tell(*hub, 40'000);  // ten calls at least
  hub.reset();
  EXPECT_LT(slow.all().size(), 40'000U);
}

TEST(EventHub, SinkThatCannotNowIsAskedAgainAndWarnedOf) {
  sink_in_test sink;
  std::atomic<bool> can = false;
  std::atomic<int> asked = 0;
  sink.answer = [&] { return ++asked, can ? TENON_OK : TENON_RETRY; };
  const auto hub = started({sink.listed()});
  tell(*hub, 3);
  while (asked < 3 || hub->warnings().empty()) std::this_thread::yield();
  ASSERT_THAT(hub->warnings(), SizeIs(1));
  EXPECT_THAT(hub->warnings()[0], HasSubstr("test.sink cannot take records: as the test says"));
  can = true;
  ASSERT_TRUE(hub->flush(patience));
  expect_contiguous(sink.all(), 3);
  EXPECT_THAT(hub->warnings(), IsEmpty());
  EXPECT_EQ(sink.made, 1U);
}

TEST(EventHub, FaultySinkIsMadeAnewThenStopped) {
  sink_in_test bad, good;
  bad.answer = [] { return TENON_INTERNAL; };
  events::hub_options options;
  options.most_restarts = 2;
  const auto hub = started({bad.listed(), good.listed()}, options);
  tell(*hub, 4);
  while (hub->counters().sinks[0].now != events::sink_status::state::stopped) std::this_thread::yield();
  EXPECT_EQ(bad.made, 3U);
  EXPECT_EQ(hub->counters().sinks[0].restarts, 2U);
  ASSERT_THAT(hub->warnings(), SizeIs(1));
  EXPECT_THAT(hub->warnings()[0], HasSubstr("is stopped"));
  tell(*hub, 4, 5);
  ASSERT_TRUE(hub->flush(patience));
  expect_contiguous(good.all(), 8);
  while (hub->counters().sinks[0].lost < 8) std::this_thread::yield();
}

TEST(EventHub, FaultOnceLosesNothing) {
  sink_in_test sink;
  std::atomic<int> asked = 0;
  sink.answer = [&] { return ++asked == 1 ? TENON_INTERNAL : TENON_OK; };
  const auto hub = started({sink.listed()});
  tell(*hub, 4);
  ASSERT_TRUE(hub->flush(patience));
  EXPECT_EQ(sink.made, 2U);
  expect_contiguous(sink.all(), 4);
}

TEST(EventHub, AuditsAreAmongTheRecordsInTurn) {
  sink_in_test sink;
  const auto hub = started({sink.listed()});
  std::vector<std::thread> people;
  for (int who = 0; who < 4; ++who) {
    people.emplace_back([&, who] {
      for (int i = 0; i < 200; ++i)
        hub->audit({"admin-" + std::to_string(who), "StopQueue", "root.a", "by hand", "", "", "root.a", ""}, i);
    });
  }
  tell(*hub, 2'000);
  for (std::thread &one : people) one.join();
  ASSERT_TRUE(hub->flush(patience));
  const auto seen = sink.all();
  expect_contiguous(seen, 2'800);
  const auto audits = std::count_if(seen.begin(), seen.end(), [](const auto &r) { return r.reason == "StopQueue"; });
  EXPECT_EQ(audits, 800);
}

// The message of the only record that the hub makes of it.
template <class Tell>
std::string message_of(Tell &&tell_it) {
  sink_in_test sink;
  const auto hub = started({sink.listed()});
  tell_it(*hub);
  EXPECT_TRUE(hub->flush(patience));
  const auto seen = sink.all();
  EXPECT_THAT(seen, SizeIs(1));
  return seen.empty() ? std::string{} : seen[0].message;
}

TEST(EventHub, LongMessageEndsInDotsAfterAWholeCharacter) {
  const std::string umlaut = "\xC3\xA4", sign = "\xE2\x82\xAC", face = "\xF0\x9F\x98\x80";
  for (const std::string &character : {std::string("x"), umlaut, sign, face}) {
    for (size_t before = 0; before < 4; ++before) {
      SCOPED_TRACE(character + " after " + std::to_string(before));
      std::string text(before, '-');
      while (text.size() < 1'400) text += character;
      const size_t whole = before + (1'021 - before) / character.size() * character.size();
      const std::string wanted = text.substr(0, whole) + "...";
      EXPECT_EQ(message_of([&](auto &hub) { hub.audit({"a", "b", "c", text, "", "", "", ""}, 1); }), wanted);
      fact what;
      what.kind = fact_kind::node_rejected;
      what.node = "n";
      what.text = text;
      EXPECT_EQ(message_of([&](auto &hub) { hub.listener().take(what); }), wanted);
    }
  }
  const std::string fits(1'024, 'x');
  EXPECT_EQ(message_of([&](auto &hub) { hub.audit({"a", "b", "c", fits, "", "", "", ""}, 1); }), fits);
}

TEST(EventHub, AuditOfBytesThatAreNoUtf8HasOthersInTheirPlace) {
  sink_in_test sink;
  const auto hub = started({sink.listed()});
  const std::string instead = "\xEF\xBF\xBD", bad = "a\xFF\xC3", good = "a" + instead + instead;
  hub->audit({bad, bad, bad, bad, bad, bad, bad, bad}, 1);
  // Overlong, a surrogate, beyond the last character, half a character before a whole one.
  hub->audit({"a", "b", "c", "\xC0\x80|\xED\xA0\x80|\xF4\x90\x80\x80|\xE2\x82|", "", "", "", ""}, 2);
  ASSERT_TRUE(hub->flush(patience));
  const auto seen = sink.all();
  ASSERT_THAT(seen, SizeIs(2));
  const seen_record &r = seen[0];
  for (const std::string &text :
       {r.object, r.reference, r.reason, r.message, r.partition, r.application, r.queue, r.node}) {
    EXPECT_EQ(text, good);
  }
  const auto times = [&](int count) {
    std::string out;
    while (count-- > 0) out += instead;
    return out;
  };
  EXPECT_EQ(seen[1].message, times(2) + "|" + times(3) + "|" + times(4) + "|" + times(2) + "|");
}

struct taken {
  std::vector<uint64_t> ids;
  uint64_t lost = 0;
  tenon_status status = TENON_OK;
};
taken take(events::event_hub &hub, tenon_event_subscription from, uint32_t wait_ms, uint64_t limit = 0) {
  taken out;
  const tenon_events_take_in in{sizeof in, wait_ms, from, limit};
  const auto note = [](void *taker, const tenon_event_record *r) -> tenon_status {
    static_cast<taken *>(taker)->ids.push_back(r->id);
    return TENON_OK;
  };
  tenon_events_take_out answer{sizeof answer, 0, note, &out, 0};
  out.status = hub.take(in, answer);
  out.lost = answer.lost;
  return out;
}

TEST(EventHub, FollowerGetsWhatComesAndLosesWhatItDoesNotTake) {
  sink_in_test sink;
  const auto hub = started({sink.listed()});
  tell(*hub, 5);
  ASSERT_TRUE(hub->flush(patience));
  std::atomic<int> woken = 0;
  const tenon_events_subscribe_in in{sizeof in, 0, 10, 0, [](void *w) { ++*static_cast<std::atomic<int> *>(w); },
                                     &woken};
  tenon_events_subscribe_out made{sizeof made, 0, 0};
  ASSERT_EQ(hub->subscribe(in, made), TENON_OK);
  EXPECT_THAT(take(*hub, made.subscription, 0).ids, IsEmpty());
  tell(*hub, 30, 6);
  ASSERT_TRUE(hub->flush(patience));
  const taken first = take(*hub, made.subscription, 30'000, 4);
  EXPECT_THAT(first.ids, ::testing::ElementsAre(6, 7, 8, 9));
  EXPECT_EQ(first.lost, 20U);
  EXPECT_THAT(take(*hub, made.subscription, 0).ids, ::testing::ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_GE(woken, 1);
  EXPECT_EQ(hub->counters().lost_by_subscribers, 20U);
  EXPECT_EQ(hub->unsubscribe(made.subscription), TENON_OK);
  EXPECT_EQ(take(*hub, made.subscription, 0).status, TENON_DECLINED);
  EXPECT_EQ(hub->unsubscribe(made.subscription), TENON_DECLINED);
}

TEST(EventHub, TooManyFollowersAreRefused) {
  events::hub_options options;
  options.subscriptions = 1;
  const auto hub = started({}, options);
  const tenon_events_subscribe_in in{sizeof in, 0, 0, 0, nullptr, nullptr};
  tenon_events_subscribe_out made{sizeof made, 0, 0};
  EXPECT_EQ(hub->subscribe(in, made), TENON_OK);
  EXPECT_EQ(hub->subscribe(in, made), TENON_EXHAUSTED);
}

}  // namespace
}  // namespace tenon::testing
