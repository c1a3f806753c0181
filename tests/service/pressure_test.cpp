// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// RMs that take their answers slowly, or not at all, and requests that come faster than they are applied.
#include <optional>
#include <set>

#include "service_case.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Pressure : public service_case {
 protected:
  static scheduler_options small() {
    auto how = manual();
    how.limits = host::running_limits{};
    how.limits->outbox_high = 20;
    how.limits->outbox_hard = 200;
    how.limits->mailbox_requests = 50;
    return how;
  }
  static requests asks(int count) {
    requests out;
    for (int i = 0; i < count; ++i) out.ask({.application = "app-1", .key = "ask-" + std::to_string(i)});
    return out;
  }
  // What ends an application of 6,000 allocations is applied in parts, and after the first one the ask of another RM.
  void expect_parts(const requests &removal) {
    constexpr size_t count = 6'000;
    std::string journal;
    auto how = manual();
    how.limits = host::running_limits{};
    how.journal = [&](std::string_view bytes) { journal += bytes; };
    open(std::move(how));
    const uint64_t large = enter("large"), other = enter("other");
    submit(large, cluster(count / 10, count));
    submit(other, cluster(1, 0));
    while (heard(large, TENON_RM_ALLOCATION).size() < count) service_->step(100, 1'000);
    submit(large, removal);
    submit(other, asks(1));
    while (heard(large, TENON_RM_RELEASE).size() < count) service_->step(100, 2'000);
    service_->stop();
    int parts_before = 0, parts_after = 0;
    bool asked = false;
    ASSERT_TRUE(read_journal(journal, [&](int64_t, const command &c) {
      const auto *ask = std::get_if<put_ask>(&c);
      asked |= ask != nullptr && ask->partition.starts_with("[other]");
      const auto *part = std::get_if<release>(&c);
      if (part != nullptr && part->limit != 0) ++(asked ? parts_after : parts_before);
    }));
    EXPECT_EQ(parts_before, 1);
    EXPECT_EQ(parts_after, 1);
  }
};

TEST_F(Pressure, SlowRmNotSteppedAndItsRequestsComeBackLaterOthersGoOn) {
  open(small());
  const uint64_t slow = enter("slow"), quick = enter("quick");
  fake_.take_at_most(slow, 0);
  submit(slow, cluster(10, 30));
  submit(quick, cluster(10, 30));
  for (int i = 0; i < 30; ++i) service_->step(5, 1'000);
  EXPECT_TRUE(status("slow").throttled);
  EXPECT_LT(status("slow").waiting_answers, 50U) << "not stepped any further";
  EXPECT_THAT(heard(quick, TENON_RM_ALLOCATION), SizeIs(30));
  const auto out = fake_.submit(slow, cluster(1, 1).messages());
  EXPECT_EQ(out.status, TENON_RETRY);
  EXPECT_EQ(out.accepted, 0U);
  EXPECT_THAT(out.words, HasSubstr("too many answers"));
  fake_.take_all(slow);
  for (int i = 0; i < 30; ++i) service_->step(5, 1'000);
  EXPECT_THAT(heard(slow, TENON_RM_ALLOCATION), SizeIs(30)) << "no decision was dropped";
  EXPECT_FALSE(status("slow").throttled);
}

// Each has a few requests and decisions in a row, so what a single request waits does not depend on others' batches.
TEST_F(Pressure, SingleRequestBesideABatchIsAppliedBeforeMostOfIt) {
  constexpr int count = 2'000;
  std::string journal;
  auto how = running();
  how.journal = [&](std::string_view bytes) { journal += bytes; };
  open(std::move(how));
  const uint64_t batch = enter("batch"), single = enter("single");
  submit(batch, cluster(count / 10, 0));
  submit(single, cluster(1, 0));
  ASSERT_TRUE(fake_.wait([&] {
    return heard(batch, TENON_RM_ACCEPTED_NODE).size() == count / 10 &&
           heard(single, TENON_RM_ACCEPTED_APPLICATION).size() == 1;
  }));
  service_->call([&](cycle_access &) {  // the cycle is here meanwhile, so the batch comes first
    submit(batch, asks(count));
    submit(single, asks(1));
  });
  ASSERT_TRUE(fake_.wait([&] { return heard(batch, TENON_RM_ALLOCATION).size() == count; }));
  service_->stop();
  int others = 0;
  std::optional<int> before;
  std::optional<uint32_t> step_size;  // of the one that may decide it: answers go out after it
  ASSERT_TRUE(read_journal(journal, [&](int64_t, const command &c) {
    if (const auto *ask = std::get_if<put_ask>(&c)) {
      if (ask->partition.starts_with("[batch]")) ++others;
      if (ask->partition.starts_with("[single]")) before = others;
    }
    if (const auto *s = std::get_if<step>(&c); s != nullptr && before && !step_size) step_size = s->max_decisions;
  }));
  EXPECT_LT(before.value_or(count), 100) << "of " << count;
  EXPECT_LT(step_size.value_or(count), 100U);
}

// Who waits for what is looked at in parts of 1,000, and an ask of another RM that comes meanwhile is applied between
// them.
TEST_F(Pressure, RequestsAreAppliedBetweenThePartsOfAnInspection) {
  constexpr size_t count = 2'500;
  std::string journal;
  auto how = manual();
  how.limits = host::running_limits{};
  how.journal = [&](std::string_view bytes) { journal += bytes; };
  open(std::move(how));
  const uint64_t large = enter("large", TENON_RM_WANTS_SCHEDULING_STATES), other = enter("other");
  submit(other, cluster(1, 0));
  submit(large, cluster(0, count));
  do service_->step(100, 1'000);
  while (status("large").waiting_requests != 0);
  service_->step(100, 2'000);
  submit(other, asks(1));
  while (heard(large, TENON_RM_SCHEDULING_STATE).size() < count) service_->step(100, 2'000);
  service_->stop();
  int parts_before = 0, parts_after = 0;
  bool asked = false;
  ASSERT_TRUE(read_journal(journal, [&](int64_t now_ms, const command &c) {
    const auto *ask = std::get_if<put_ask>(&c);
    asked |= ask != nullptr && ask->partition.starts_with("[other]");
    if (std::holds_alternative<inspect>(c) && now_ms == 2'000) ++(asked ? parts_after : parts_before);
  }));
  EXPECT_GE(parts_before + parts_after, 3);
  EXPECT_GT(parts_before, 0);
  EXPECT_GT(parts_after, 0);
}

TEST_F(Pressure, BeyondTheHardLimitPausedUntilItsAnswersAreTaken) {
  auto how = small();
  how.limits->outbox_high = 5;
  how.limits->outbox_hard = 10;
  open(std::move(how));
  const uint64_t session = enter();
  fake_.take_at_most(session, 0);
  submit(session, cluster(10, 20));
  settle();
  EXPECT_EQ(status().state, rm_state::paused);
  fake_.take_all(session);
  settle(2'000);
  settle(3'000);
  EXPECT_EQ(status().state, rm_state::running);
  settle(4'000);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(20));
}

TEST_F(Pressure, HoweverManyAnswersOneCommandMakesAnRmThatTakesThemStays) {
  auto how = small();
  how.limits->pause_queue = 300;
  how.limits->mailbox_requests = 1'000;
  open(std::move(how));
  const uint64_t session = enter();
  submit(session, cluster(60, 600));
  for (int i = 0; i < 10; ++i) settle(1'000);
  requests removal;
  removal.remove_application("app-1");
  submit(session, removal);
  settle(2'000);
  settle(3'000);
  EXPECT_EQ(status().state, rm_state::running);
  EXPECT_THAT(fake_.ended(), ::testing::IsEmpty());
  EXPECT_EQ(heard(session, TENON_RM_RELEASE).size() + heard(session, TENON_RM_ASK_RELEASE).size(), 600U);
}

// As above with the limits that a deployment has when it names none, and more answers than `pause_queue`.
TEST_F(Pressure, OneCommandWith120000AnswersLeavesAnRmThatTakesThemWhereItIs) {
  constexpr int count = 120'000;
  auto how = manual();
  how.limits = host::running_limits{};
  ASSERT_LT(how.limits->pause_queue, uint64_t{count});
  open(std::move(how));
  const uint64_t session = enter();
  requests work;
  work.application("app-1").node("node", {{"vcore", count * 1'000}});
  work.ask({.application = "app-1", .key = "many", .max_allocations = count});
  submit(session, work);
  while (fake_.count_taken(session, TENON_RM_ALLOCATION) < count) service_->step(1'000, 1'000);
  requests removal;
  removal.remove_application("app-1");
  fake_.take_at_most(session, count);
  submit(session, removal);
  for (uint64_t taken = count; fake_.count_taken(session, TENON_RM_RELEASE) < count; taken += 10'000) {
    fake_.take_at_most(session, taken);
    service_->step(1'000, 2'000);
    ASSERT_THAT(fake_.ended(), ::testing::IsEmpty()) << taken;
  }
  fake_.take_all(session);
  settle(3'000);
  EXPECT_EQ(status().state, rm_state::running);
}

TEST_F(Pressure, AnApplicationWithManyAllocationsIsRemovedInPartsBetweenWhichOtherRmsAreServed) {
  requests removal;
  removal.remove_application("app-1");
  expect_parts(removal);
}

TEST_F(Pressure, AnApplicationWithManyAllocationsIsReleasedInPartsBetweenWhichOtherRmsAreServed) {
  requests removal;
  removal.release("app-1", "");
  expect_parts(removal);
}

TEST_F(Pressure, AnRmThatTakesAnswersSlowlyStaysAndOneThatTakesNoneEnds) {
  auto how = small();
  how.limits->pause_queue = 300;
  how.limits->pause_timeout_ms = 60'000;
  how.limits->mailbox_requests = 1'000;
  open(std::move(how));
  const uint64_t session = enter();
  submit(session, cluster(60, 600));
  for (int i = 0; i < 10; ++i) settle(1'000);
  fake_.take_at_most(session, 0);
  requests removal;
  removal.remove_application("app-1");
  submit(session, removal);
  int64_t now_ms = 2'000;
  settle(now_ms);
  for (int i = 0; i < 20; ++i) {
    fake_.take_at_most(session, 1);
    settle(now_ms += 9'000);
    EXPECT_EQ(status().state, rm_state::paused) << "at " << now_ms;
  }
  settle(now_ms);  // that it took the last one is seen now
  settle(now_ms + 9'999);
  EXPECT_EQ(status().state, rm_state::paused);
  settle(now_ms + 10'000);
  EXPECT_EQ(fake_.ended().at(session), TENON_RM_ENDED_OVERFLOW);
}

TEST_F(Pressure, MailboxFullTheFirstSoManyAreTaken) {
  open(small());
  const uint64_t session = enter();
  const requests batch = cluster(30, 70);
  const auto out = fake_.submit(session, batch.messages());
  EXPECT_EQ(out.status, TENON_RETRY);
  EXPECT_EQ(out.accepted, 50U);
  settle();
  submit(session, [] {
    requests rest;
    rest.ask({.key = "after"});
    return rest;
  }());
  EXPECT_EQ(service_->counters().retries, 1U);
}

TEST_F(Pressure, WithThreadsAndASlowTransportEverythingArrivesInOrder) {
  auto how = running();
  how.limits = host::running_limits{};
  how.limits->outbox_high = 30;
  how.limits->outbox_hard = 1'000;
  open(std::move(how));
  const uint64_t session = enter();
  fake_.take_at_most(session, 10);
  submit(session, cluster(10, 100));
  for (size_t more = 10; heard(session, TENON_RM_ALLOCATION).size() < 100; more += 10) {
    ASSERT_TRUE(fake_.wait_for_answers(session, std::min<size_t>(more, 112)));
    fake_.take_at_most(session, 10);
  }
  uint64_t expected = 1;
  for (const delivered &one : fake_.taken(session)) EXPECT_EQ(one.number, expected++);
}

TEST_F(Pressure, TransportAtFaultRestartedAndItsRmsCanComeBack) {
  open(manual());
  const uint64_t session = enter();
  fake_.fail_next_deliver();
  submit(session, cluster(1, 2));
  settle();
  EXPECT_EQ(fake_.starts(), 2U);
  EXPECT_EQ(status().state, rm_state::paused);
  EXPECT_EQ(fake_.signal(session, TENON_RM_BACK), TENON_OK);
  settle(2'000);
  EXPECT_THAT(heard(session, TENON_RM_ALLOCATION), SizeIs(2));
  EXPECT_EQ(service_->counters().transport_restarts, 1U);
}

TEST_F(Pressure, CutAtRandomNothingIsLost) {
  open(running());
  fake_.acknowledge_at_once(false);
  const uint64_t session = enter();
  submit(session, cluster(20, 200));
  for (int cut = 0; cut < 20; ++cut) {
    fake_.signal(session, TENON_RM_LOST);
    const auto seen = fake_.taken(session);
    if (!seen.empty()) fake_.acknowledge(session, "default", seen[seen.size() / 2].number);
    fake_.signal(session, TENON_RM_BACK);
  }
  std::map<std::string, std::string> uuids;
  const bool all = fake_.wait([&] {
    for (const auto &one : heard(session, TENON_RM_ALLOCATION)) {
      const auto [at, fresh] = uuids.emplace(one.key, one.uuid);
      EXPECT_EQ(at->second, one.uuid) << "the same allocation under another name";
    }
    return uuids.size() == 200;
  });
  EXPECT_TRUE(all) << uuids.size();
  std::set<uint64_t> numbers;
  for (const delivered &one : fake_.taken(session)) numbers.insert(one.number);
  EXPECT_EQ(*numbers.rbegin(), numbers.size()) << "a number is missing";
}

// Memory and time of a turn are those of the partitions that there are.
TEST_F(Pressure, UnknownPartitionsRefusedThroughOneLane) {
  open(manual());
  const uint64_t session = enter();
  constexpr int names = 3'000;
  requests batch;
  for (int i = 0; i < names; ++i) {
    const std::string partition = "none-" + std::to_string(i);
    batch.application("app-" + std::to_string(i), "root.default", {}, "alice", partition);
    batch.ask({.key = "ask-" + std::to_string(i), .partition = partition});
  }
  submit(session, batch);
  settle();
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_APPLICATION), SizeIs(names));
  EXPECT_THAT(heard(session, TENON_RM_REJECTED_ASK), SizeIs(names));
  std::set<std::string> partitions;
  uint64_t last = 0;
  for (const delivered &one : fake_.taken(session)) {
    partitions.insert(one.partition);
    EXPECT_EQ(one.number, ++last) << "in the order of the requests";
  }
  EXPECT_THAT(partitions, ElementsAre(""));
  EXPECT_THAT(status().partitions, ElementsAre("[rm-1]default"));
  EXPECT_EQ(status().waiting_answers, 0U);
}

}  // namespace
}  // namespace tenon::service::testing
