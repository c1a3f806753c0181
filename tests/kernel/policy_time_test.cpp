// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Orders that depend on the time: what is left out comes in when its time comes, without anything else to wake it,
// and keys are those that would be made anew at every decision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <random>

#include "cluster.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

int64_t number_in(std::optional<std::string_view> text, int64_t otherwise) {
  if (text) std::from_chars(text->data(), text->data() + text->size(), otherwise);
  return otherwise;
}

// Open from one time to another, closed for good after that.
struct gate {
  template <class Batch>
  void begin(const Batch &items) {
    now_ms_ = items.now_ms();
  }
  uint64_t key(const auto &) const { return 0; }
  int64_t not_before(const auto &item) const {
    const int64_t from = number_in(item.template get<0>(), 0), to = number_in(item.template get<1>(), INT64_MAX);
    return now_ms_ >= to ? TENON_NOT_NOW : from;
  }
  int64_t valid_until(const auto &item) const { return number_in(item.template get<1>(), INT64_MAX); }

  int64_t now_ms_ = 0;
};
struct queue_gate : gate {
  static constexpr std::string_view name = "gate";
  static constexpr std::tuple columns{text_column{"queue.property:from"}, text_column{"queue.property:to"}};
};
struct app_gate : gate {
  static constexpr std::string_view name = "gate";
  static constexpr std::tuple columns{text_column{"app.tag:from"}, text_column{"app.tag:to"}};
};

// A turn of a second each: the application whose tag `turn` is the second of three goes first, the next one after it.
template <scope Scope>
struct turns {
  static constexpr std::string_view name = Scope == scope::item ? "turns" : "turns-anew";
  static constexpr uint32_t rekey_ms = 1'000;
  static constexpr std::tuple columns{text_column{"app.tag:turn"}, number_column{"app.state", Scope},
                                      resources_column{"app.allocated", Scope}, resources_column{"app.pending", Scope},
                                      text_column{"app.tag:idle"}};

  template <class Batch>
  void begin(const Batch &apps) {
    now_ms_ = apps.now_ms();
  }
  int64_t key(const auto &app) const {
    const int64_t mine = number_in(app.template get<0>(), 0);
    return (mine + 3 - now_ms_ / 1'000 % 3) % 3 * 1'000 + now_ms_ % 1'000;
  }
  // With a tag `idle: N` left out in every N-th second.
  int64_t not_before(const auto &app) const {
    const int64_t idle = number_in(app.template get<4>(), 0);
    return idle != 0 && now_ms_ / 1'000 % idle == 0 ? TENON_NOT_NOW : std::numeric_limits<int64_t>::min();
  }

  int64_t now_ms_ = 0;
};

// Nodes with the attribute `turn` take turns likewise.
struct node_turns {
  static constexpr std::string_view name = "turns";
  static constexpr uint32_t rekey_ms = 1'000;
  static constexpr std::tuple columns{text_column{"node.attr:turn"}};

  template <class Batch>
  void begin(const Batch &nodes) {
    now_ms_ = nodes.now_ms();
  }
  int64_t key(const auto &node) const {
    return (number_in(node.template get<0>(), 0) + 3 - now_ms_ / 1'000 % 3) % 3 * 1'000 + now_ms_ % 1'000;
  }

  int64_t now_ms_ = 0;
};

}  // namespace

TENON_MODULE(queue_sort<queue_gate>, app_sort<app_gate>, app_sort<turns<scope::item>>, app_sort<turns<scope::siblings>>,
             node_sort<node_turns>)

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t start_ms = 1'000'000;  // of every cluster

queue_config with(queue_config q, const std::map<std::string, std::string> &properties) {
  q.properties.insert(properties.begin(), properties.end());
  return q;
}

class PolicyTime : public ::testing::Test {
 protected:
  // `root.gated` with leaves under the queue order `gate`, `root.apps` under the application order `order`.
  void start(std::vector<queue_config> gated, const std::string &order = "gate", std::string node_sort = "fair") {
    it_ = std::make_unique<cluster>(
        policies_,
        std::vector{with(named_queue("gated", {}, std::move(gated)), {{"queue.sort.policy", "gate"}}),
                    with(named_queue("apps"), {{"application.sort.policy", order}})},
        std::move(node_sort));
    it_->add_node("node-1", {{"vcore", 1'000'000}});
  }
  void add_app(std::string_view id, std::string_view queue, const std::map<std::string, std::string> &tags = {}) {
    add_application c;
    c.partition = default_partition;
    c.application = id;
    c.queue = queue;
    c.user = "testuser";
    c.tags = own_.tags(tags);
    it_->run(c);
  }
  void ask(std::string_view app, std::string_view key) { it_->ask(app, key, {{"vcore", 1000}}); }
  // The next thing that happens without input, as the program around a kernel does it.
  void sleep() {
    const int64_t due = *(*it_)->next_due();
    it_->advance(due - (*it_)->now_ms());
    it_->settle();
  }
  void advance_to(int64_t ms) {
    it_->advance(ms - (*it_)->now_ms());
    it_->settle();
  }
  [[nodiscard]] size_t placed(std::string_view app, std::string_view key) const { return it_->placed(app, key); }

  with_module policies_{TENON_MODULE_ENTRY};
  arena own_;
  std::unique_ptr<cluster> it_;
};

TEST_F(PolicyTime, QueueThatIsClosedOpensByItself) {
  start({with(named_queue("a"), {{"from", "1005000"}})});
  add_app("app", "root.gated.a");
  ask("app", "x");
  it_->settle();
  EXPECT_EQ(placed("app", "x"), 0U);
  EXPECT_FALSE((*it_)->has_work());
  EXPECT_EQ((*it_)->next_due(), 1'005'000);
  EXPECT_THAT(
      (*it_)->explain(first_partition, "app", "x")->text,
      HasSubstr("Order gate of queue root.gated leaves queue root.gated.a out until 1970-01-01T00:16:45.000Z."));
  sleep();
  EXPECT_EQ((*it_)->now_ms(), 1'005'000);
  EXPECT_EQ(placed("app", "x"), 1U);
}

TEST_F(PolicyTime, QueueThatIsOpenClosesInTime) {
  start({with(named_queue("a"), {{"to", "1005000"}})});
  add_app("app", "root.gated.a");
  ask("app", "x");
  it_->settle();
  EXPECT_EQ(placed("app", "x"), 1U);
  advance_to(1'004'999);
  ask("app", "y");
  it_->settle();
  EXPECT_EQ(placed("app", "y"), 1U);
  ask("app", "z");
  advance_to(1'005'000);
  EXPECT_EQ(placed("app", "z"), 0U);
  EXPECT_FALSE((*it_)->has_work());
  EXPECT_THAT((*it_)->explain(first_partition, "app", "z")->text,
              HasSubstr("out until something that it reads changes"));
}

TEST_F(PolicyTime, QueueThatOpensWhileItIsEmptyIsOpenWhenWorkComes) {
  start({with(named_queue("a"), {{"from", "1005000"}}), named_queue("b")});
  add_app("app", "root.gated.a");
  ask("app", "x");
  it_->settle();
  it_->give_back("app", "x");
  advance_to(1'006'000);
  ask("app", "y");
  it_->settle();
  EXPECT_EQ(placed("app", "y"), 1U);
}

TEST_F(PolicyTime, QueueThatGetsOtherHoursWhileItIsEmptyKeepsThoseWhenWorkComes) {
  start({with(named_queue("a"), {{"from", "1005000"}})});
  add_app("app", "root.gated.a");
  ask("app", "x");
  it_->settle();
  it_->give_back("app", "x");
  cluster_config other = it_->config();
  other.partitions[0].root.queues[0].queues[0].properties["from"] = "1001000";
  it_->configure(other);
  advance_to(1'001'000);
  ask("app", "y");
  it_->settle();
  EXPECT_EQ(placed("app", "y"), 1U);
}

TEST_F(PolicyTime, QueueBelowAClosedOneOpensWithIt) {
  queue_config parent =
      with(named_queue("p", {}, {with(named_queue("a"), {{"from", "1002000"}})}), {{"from", "1005000"}});
  parent.properties["queue.sort.policy"] = "gate";
  start({parent});
  add_app("app", "root.gated.p.a");
  ask("app", "x");
  it_->settle();
  while ((*it_)->now_ms() < 1'005'000) {
    EXPECT_EQ(placed("app", "x"), 0U);
    sleep();
  }
  EXPECT_EQ(placed("app", "x"), 1U);
}

TEST_F(PolicyTime, ApplicationThatIsLeftOutComesInByItselfWhateverItsStateDidMeanwhile) {
  start({named_queue("a")});
  add_app("app", "root.apps", {{"from", "1005000"}});
  ask("app", "x");
  it_->settle();
  EXPECT_THAT((*it_)->snapshot().partitions[0].applications[0].asks[0].blocker,
              HasSubstr("order gate of queue root.apps"));
  it_->give_back("app", "x");  // Completing, and Running again
  ask("app", "y");
  it_->settle();
  EXPECT_EQ(placed("app", "y"), 0U);
  EXPECT_EQ((*it_)->next_due(), 1'005'000);
  sleep();
  EXPECT_EQ(placed("app", "y"), 1U);
}

TEST_F(PolicyTime, RekeyMsChangesTheOrderAtItsMultiples) {
  start({named_queue("a")}, "turns");
  for (int i = 0; i < 3; ++i) add_app("app-" + std::to_string(i), "root.apps", {{"turn", std::to_string(i)}});
  const auto first = [&] {
    for (int i = 0; i < 3; ++i) ask("app-" + std::to_string(i), "x");
    it_->run(step{{}, 1, {}});
    size_t who = 3;
    for (size_t i = 0; i < 3; ++i) who = placed("app-" + std::to_string(i), "x") == 1 ? i : who;
    for (int i = 0; i < 3; ++i) it_->give_back("app-" + std::to_string(i), "x");
    return who;
  };
  for (const int64_t ms : {1'000'500, 1'000'999, 1'001'000, 1'001'999, 1'002'001, 1'005'000, 1'009'999}) {
    advance_to(ms);
    EXPECT_EQ(first(), ms / 1'000 % 3) << ms;
  }
}

TEST_F(PolicyTime, RekeyMsOfNodes) {
  start({named_queue("a")}, "gate", "turns");
  for (int i = 0; i < 3; ++i) it_->add_node("turn-" + std::to_string(i), {{"gpu", 100}}, {{"turn", std::to_string(i)}});
  add_app("app", "root.apps");
  for (const int64_t ms : {1'000'500, 1'000'999, 1'001'000, 1'002'001, 1'005'000, 1'009'999}) {
    advance_to(ms);
    it_->ask("app", "x", {{"gpu", 1}});
    it_->settle();
    EXPECT_EQ((*it_)->snapshot().partitions[0].applications[0].allocations.at(0).node,
              "turn-" + std::to_string(ms / 1'000 % 3));
    it_->give_back("app", "x");
  }
}

TEST_F(PolicyTime, RekeyMsKeepsNobodyBusyWhoIsIdle) {
  start({named_queue("a")}, "turns", "turns");
  add_app("app", "root.apps");
  ask("app", "x");
  it_->ask("app", "big", {{"vcore", 9'000'000}});
  it_->settle();
  EXPECT_FALSE((*it_)->has_work());
  EXPECT_GE((*it_)->next_due(), start_ms + 2'000) << "when the ask that waits may reserve";
}

TEST_F(PolicyTime, RekeyMsLooksAgainAtWhatIsLeftOut) {
  start({named_queue("a")}, "turns");
  add_app("app", "root.apps", {{"idle", "2"}});  // 1,000 is even
  ask("app", "x");
  it_->settle();
  EXPECT_EQ(placed("app", "x"), 0U);
  EXPECT_EQ((*it_)->next_due(), 1'001'000);
  sleep();
  EXPECT_EQ(placed("app", "x"), 1U);
}

// The same load under `turns` and under `turns-anew`, which makes all keys anew whenever anything changes.
std::vector<std::string> decisions_under(const std::string &order, uint64_t seed) {
  with_module policies(TENON_MODULE_ENTRY);
  cluster c(policies, {with(named_queue("apps", {{"vcore", 7'000}}), {{"application.sort.policy", order}})});
  c.add_node("node-1", {{"vcore", 5'000}});
  c.add_node("node-2", {{"vcore", 4'000}});
  std::mt19937_64 random(seed);
  arena own;
  for (int i = 0; i < 9; ++i) {
    add_application a;
    const std::string id = "app-" + std::to_string(i);
    a.partition = default_partition;
    a.application = id;
    a.queue = "root.apps";
    a.user = "testuser";
    a.tags = own.tags({{"turn", std::to_string(i % 3)}, {"idle", std::to_string(i % 4)}});
    c.run(a);
  }
  for (int i = 0; i < 400; ++i) {
    const std::string app = "app-" + std::to_string(random() % 9), key = "x" + std::to_string(random() % 4);
    switch (random() % 4) {
      case 0:
      case 1:
        c.ask(app, key, {{"vcore", 500 + 500 * static_cast<int64_t>(random() % 3)}});
        break;
      case 2:
        c.give_back(app, key);
        break;
      default:
        c.advance(static_cast<int64_t>(random() % 700));
    }
    if (random() % 3 == 0) c.run(step{{}, 1 + static_cast<uint32_t>(random() % 3), {}});
  }
  return c.decisions();
}

TEST(PolicyTimeProperty, KeysThatAreKeptAreThoseMadeAnew) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto kept = decisions_under("turns", seed);
    ASSERT_EQ(kept, decisions_under("turns-anew", seed)) << "seed " << seed;
    ASSERT_GT(kept.size(), 60U);
  }
}

}  // namespace
}  // namespace tenon::testing
