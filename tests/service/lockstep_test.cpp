// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What goes through the service is decided as by a kernel alone, and a recording of it replays.
#include "service_case.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/thread_role.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::service::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Lockstep : public service_case {};

// Applies a journal to a kernel of its own; its decisions, a line each.
std::string replayed(const std::string &journal, policy_source &policies) {
  const host::role_guard role(host::thread_role::cycle);
  kernel alone(policies);
  std::string out;
  const auto count = read_journal(journal, [&](int64_t now_ms, const command &c) {
    alone.apply(now_ms, c);
    alone.drain([&](const decision_view &d) { out += format(d) + '\n'; });
  });
  EXPECT_TRUE(count) << (count ? "" : count.why().text());
  return out;
}

TEST_F(Lockstep, RecordingReplaysByteForByte) {
  std::string journal, decisions;
  auto how = manual();
  how.journal = [&](std::string_view bytes) { journal += bytes; };
  how.decisions = [&](std::string_view line) { decisions += line; };
  open(std::move(how));
  const uint64_t one = enter("rm-1", TENON_RM_WANTS_SCHEDULING_STATES | TENON_RM_WANTS_CHECKS), two = enter("rm-2");
  fake_.refuse_node("node-0");
  for (int round = 0; round < 20; ++round) {
    for (const uint64_t session : {one, two}) {
      requests batch;
      if (round == 0) batch = cluster(4, 0);
      for (int i = 0; i < 5; ++i)
        batch.ask({.key = "r" + std::to_string(round) + "-" + std::to_string(i), .priority = i % 3});
      if (round % 3 == 2) batch.release("app-1", "r" + std::to_string(round - 2) + "-0");
      if (round % 5 == 4) batch.change_node("node-1", round % 2 == 0 ? TENON_NODE_DRAIN : TENON_NODE_UNDRAIN);
      submit(session, batch);
    }
    if (round == 7) fake_.signal(two, TENON_RM_LOST);
    if (round == 9) fake_.signal(two, TENON_RM_BACK);
    service_->step(3, 1'000 + round * 500);
  }
  ASSERT_THAT(decisions, HasSubstr("allocated"));
  host::host_options options;
  options.preflight = false;
  auto policies = host::open_deployment({}, options);
  ASSERT_TRUE(policies);
  EXPECT_EQ(replayed(journal, **policies), decisions);
}

TEST_F(Lockstep, RecordingWithThreadsReplays) {
  std::string journal, decisions;
  auto how = running();
  how.journal = [&](std::string_view bytes) { journal += bytes; };
  how.decisions = [&](std::string_view line) { decisions += line; };
  open(std::move(how));
  const uint64_t session = enter();
  submit(session, cluster(10, 100));
  ASSERT_TRUE(fake_.wait([&] { return heard(session, TENON_RM_ALLOCATION).size() == 100; }));
  service_->stop();
  host::host_options options;
  options.preflight = false;
  auto policies = host::open_deployment({}, options);
  ASSERT_TRUE(policies);
  EXPECT_EQ(replayed(journal, **policies), decisions);
}

TEST_F(Lockstep, ManySmallStepsOrOneLargeTheSameDecisions) {
  std::string decisions[2];
  for (const uint32_t size : {1U, 1'000U}) {
    std::string &to = decisions[size == 1 ? 0 : 1];
    auto how = manual();
    how.decisions = [&to](std::string_view line) { to += line; };
    open(std::move(how));
    const uint64_t session = enter();
    submit(session, cluster(10, 90));
    while (service_->step(size, 1'000) != 0) {
    }
  }
  EXPECT_EQ(decisions[0], decisions[1]);
}

TEST_F(Lockstep, ReloadAllOrNothing) {
  const std::string batch_queues = R"(
partitions: [ { name: default, queues: [ { name: root, submitacl: "*", queues: [ { name: batch } ] } ] } ]
)";
  open(manual({{"default", default_queues}, {"batch", batch_queues}}));
  enter("rm-1");
  enter("rm-2", 0, "batch");
  const auto paths = [&] {
    std::vector<std::string> out;
    service_->call([&](cycle_access &on) {
      for (const auto &partition : on.state().snapshot().partitions)
        for (const auto &queue : partition.queues)
          if (queue.state == object_state::active) out.push_back(partition.name + ' ' + queue.path);
    });
    return out;
  };
  const auto before = paths();
  // The second one cannot be read: the first one's change is not taken either.
  const auto no = service_->reload({{"batch", batch_queues}, {"default", "partitions: [ { nam: x } ]"}});
  ASSERT_TRUE(no);
  EXPECT_THAT(no->text(), HasSubstr("unknown key 'nam'"));
  EXPECT_EQ(paths(), before);
  const std::string more = R"(
partitions: [ { name: default, queues: [ { name: root, submitacl: "*", queues: [ { name: default }, { name: new } ] } ] } ]
)";
  const auto why = service_->reload({{"default", more}});
  EXPECT_FALSE(why) << why->text();
  EXPECT_THAT(paths(), ::testing::Contains("[rm-1]default root.new"));
  EXPECT_THAT(paths(), ::testing::Not(::testing::Contains("[rm-2]default root.new")));
}

TEST_F(Lockstep, ChangeToNothingRefusedHoweverItIsSent) {
  open(manual());
  const uint64_t session = enter("rm-1");
  const auto states = [&] {
    std::vector<std::string> out;
    service_->call([&](cycle_access &on) {
      for (const auto &one : on.state().snapshot().partitions)
        out.push_back(one.name + ' ' + std::to_string(static_cast<int>(one.state)));
    });
    return out;
  };
  const auto before = states();
  ASSERT_THAT(before, SizeIs(1));
  for (const std::string text : {"", "# nothing\n", "partitions: []\n", "partitions:\n"}) {
    const auto why = service_->reload({{"default", text}});
    ASSERT_TRUE(why) << text;
    EXPECT_THAT(why->text(), HasSubstr("policy group 'default'"));
    EXPECT_THAT(why->fix, HasSubstr("nothing was changed"));
    EXPECT_TRUE(service_->configure({"rm-1", "default", text, "somebody"}).why) << text;
    EXPECT_EQ(service_->policy_groups().at("default"), default_queues);
    EXPECT_EQ(states(), before) << text;
  }
  for (const std::string text : {"# nothing\n", "partitions: []\n"})
    submit(session, requests().configuration("rm-1", text));
  settle();
  for (const auto &answer : heard(session, TENON_RM_CONFIGURATION_ANSWER))
    EXPECT_EQ(answer.number, 0U) << text_of(answer);
  EXPECT_EQ(states(), before);
  // Another partition instead is a change like any other: the first one drains.
  const auto why = service_->reload({{"default", "partitions: [ { name: other, queues: [ { name: root } ] } ]"}});
  EXPECT_FALSE(why) << why->text();
  EXPECT_THAT(states(), SizeIs(2));
}

TEST_F(Lockstep, TextWithoutContentFromTheStartHoldsAndIsWarnedOf) {
  open(manual({{"default", "# later\n"}}));
  EXPECT_THAT(service_->configuration_warnings(), ElementsAre(HasSubstr("the built-in one holds")));
  enter("rm-1");
  EXPECT_FALSE(service_->reload());
  EXPECT_FALSE(service_->reload({{"default", default_queues}}));
  EXPECT_THAT(service_->configuration_warnings(), SizeIs(0));
}

// The first two take the change before the last one, whose leaf has an application, refuses its own.
TEST_F(Lockstep, ReloadRefusedByTheLastOneIsUndoneInAll) {
  const auto queues = [](const std::string &below_root) {
    return "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ " + below_root +
           " ] } ] } ]";
  };
  const std::string first = queues("{ name: default }"), other = queues("{ name: batch }");
  const std::string more = queues("{ name: default, resources: { max: { vcore: 7 } } }, { name: new }");
  const std::string parent = queues("{ name: batch, queues: [ { name: child } ] }");
  open(manual({{"default", first}, {"batch", other}}));
  enter("rm-1");
  enter("rm-2");
  requests batch = cluster(1, 0);
  const uint64_t last = enter("rm-3", 0, "batch");
  batch.application("stays", "root.batch");
  submit(last, batch);
  settle();
  const auto shown = [&] {
    std::vector<std::string> out;
    service_->call([&](cycle_access &on) {
      for (const auto &partition : on.state().snapshot().partitions)
        for (const auto &queue : partition.queues)
          if (queue.state == object_state::active)
            out.push_back(partition.name + ' ' + queue.path + (queue.max && queue.path != "root" ? " limited" : ""));
    });
    return out;
  };
  const auto before = shown();
  ASSERT_THAT(before, ::testing::Contains("[rm-3]default root.batch"));
  const auto why = service_->reload({{"default", more}, {"batch", parent}});
  ASSERT_TRUE(why);
  EXPECT_THAT(why->text(), HasSubstr("policy group 'batch', RM 'rm-3'"));
  EXPECT_THAT(why->text(), HasSubstr("nothing was changed"));
  EXPECT_EQ(shown(), before);
  // What they have is what they had, so the same change is one again once it can be taken.
  const auto again = service_->reload({{"default", more}, {"batch", other}});
  EXPECT_FALSE(again) << again->text();
  EXPECT_THAT(shown(), ::testing::IsSupersetOf({"[rm-1]default root.default limited", "[rm-1]default root.new",
                                                "[rm-2]default root.default limited", "[rm-2]default root.new",
                                                "[rm-3]default root.batch"}));
}

// What is undone afterwards has happened: people's stops would be lost, and what waits would be placed.
TEST_F(Lockstep, ReloadThatTheLastRmCannotTakeReachesNoRm) {
  const auto queues = [](const std::string &below_root) {
    return "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', queues: [ " + below_root +
           " ] } ] } ]";
  };
  const std::string first = queues("{ name: default }"), other = queues("{ name: batch }");
  std::string journal;
  auto how = manual({{"default", first}, {"batch", other}});
  how.journal = [&](std::string_view bytes) { journal += bytes; };
  open(std::move(how));
  const uint64_t stopped = enter("rm-1"), last = enter("rm-2", 0, "batch");
  service_->call([&](cycle_access &on) {
    on.apply(change_queue{"[rm-1]default", "root.default", static_cast<uint8_t>(object_event::stop)});
  });
  submit(stopped, cluster(1, 1));
  requests batch = cluster(1, 0);
  batch.application("stays", "root.batch");
  submit(last, batch);
  settle();
  const auto revision = service_->revisions().at(0).number;
  for (int i = 0; i < 2; ++i) {
    const auto why = service_->reload(
        {{"default", queues("{ name: new }")}, {"batch", queues("{ name: batch, queues: [ { name: child } ] }")}});
    ASSERT_TRUE(why);
    EXPECT_THAT(why->text(), HasSubstr("RM 'rm-2'"));
    EXPECT_THAT(why->text(), HasSubstr("nothing was changed"));
  }
  settle(2'000);
  EXPECT_THAT(heard(stopped, TENON_RM_ALLOCATION), SizeIs(0));
  service_->call([&](cycle_access &on) {
    const auto queues_now = on.state().snapshot().partitions.at(0).queues;
    for (const auto &queue : queues_now)
      EXPECT_EQ(queue.state, queue.path == "root" ? object_state::active : object_state::stopped) << queue.path;
  });
  EXPECT_EQ(service_->revisions().at(0).number, revision);
  service_->stop();
  ASSERT_TRUE(read_journal(journal, [&](int64_t, const command &c) {
    EXPECT_FALSE(std::holds_alternative<tenon::configure>(c)) << "a command for a change that was refused";
  }));
}

TEST_F(Lockstep, TwoSchedulersInOneProcess) {
  open(manual());
  fake_transport other_fake;
  host::host_options options;
  options.preflight = false;
  auto other = scheduler::open(std::move(*host::open_deployment({}, options)), manual());
  ASSERT_TRUE(other);
  other_fake.attach_to(**other);
  ASSERT_FALSE((*other)->start());
  const uint64_t mine = enter();
  uint64_t theirs = 0;
  ASSERT_TRUE(other_fake.enter({}, 0, theirs).good);
  submit(mine, cluster(1, 1));
  settle();
  (*other)->step(10, 1'000);
  EXPECT_EQ(heard(mine, TENON_RM_ALLOCATION).size(), 1U);
  EXPECT_EQ(other_fake.taken(theirs).size(), 0U);
}

}  // namespace
}  // namespace tenon::service::testing
