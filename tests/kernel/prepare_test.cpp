// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `prepare`: tags and properties are read once, where they can still be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>

#include "cluster.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

// By the number in `rank`, smaller first; 0 without it.
struct ranked {
  static constexpr std::string_view name = "ranked";
  static constexpr std::tuple columns{words_column{"item.prepared"}};

  std::array<uint64_t, 4> prepare(const text_map &texts) const {
    const std::string_view rank = texts.find("rank").value_or("0");
    if (rank == "a bug") throw std::runtime_error("a bug");
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(rank.data(), rank.data() + rank.size(), number);
    if (error != std::errc() || end != rank.data() + rank.size()) {
      throw invalid_config("rank: want a number,\nhave " + std::string(rank));
    }
    return {0, 0, 0, number};
  }
  uint64_t key(const auto &item) const { return item.template get<0>()[3]; }
};

}  // namespace

TENON_MODULE(queue_sort<ranked>, app_sort<ranked>)

namespace tenon::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Prepare : public ::testing::Test {
 protected:
  void start(const std::vector<queue_config> &queues = {leaf("leaf", {{"application.sort.policy", "ranked"}})}) {
    it_ = std::make_unique<cluster>(policies_, queues);
    it_->add_node("node-1", {{"vcore", 1000}});
  }
  static queue_config leaf(std::string name, const std::map<std::string, std::string> &properties = {}) {
    queue_config q = named_queue(std::move(name));
    q.properties = properties;
    return q;
  }
  // What is decided about it, and an ask of it.
  std::string submit(const std::string &id, const std::string &rank, std::string_view queue = "root.leaf") {
    add_application c;
    c.partition = default_partition;
    c.application = own_.text(id);
    c.queue = queue;
    c.user = "testuser";
    if (!rank.empty()) c.tags = own_.tags({{"other", "x"}, {"rank", rank}});
    it_->run(c);
    const std::string decided = it_->decisions().back();
    it_->ask(id, "x", {{"vcore", 1000}});
    return decided;
  }
  // The order in which applications run when one fits at a time.
  std::vector<std::string> turns() {
    std::vector<std::string> out;
    for (;;) {
      (*it_)->apply((*it_)->now_ms(), step{{}, 1, {}});
      std::string who;
      (*it_)->drain([&](const decision_view &d) {
        if (d.kind() == decision_kind::allocated) who = d.application;
      });
      if (who.empty()) return out;
      out.push_back(who);
      it_->give_back(who, "x");
    }
  }
  // `change` the configuration's root, and say what is decided.
  template <class Change>
  std::string reload(Change change) {
    cluster_config config = it_->config();
    change(config.partitions[0].root);
    it_->configure(config);
    return it_->decisions().back();
  }
  uint64_t faults() { return (*it_)->counters().policy_faults; }

  with_module policies_{TENON_MODULE_ENTRY};
  arena own_;
  std::unique_ptr<cluster> it_;
};

TEST_F(Prepare, ApplicationsGoByTheirWords) {
  start();
  submit("c", "30");
  submit("a", "10");
  submit("none", "");
  submit("b", "20");
  EXPECT_THAT(turns(), ElementsAre("none", "a", "b", "c"));
}

TEST_F(Prepare, TagThatIsRefusedRejectsTheApplicationInThePolicysWords) {
  start();
  EXPECT_THAT(submit("a", "soon"), HasSubstr("application_rejected"));
  EXPECT_THAT((*it_)->snapshot().partitions[0].ended.at(0).message,
              messages::order_refused_application("a", "ranked", "root.leaf", "rank: want a number, have soon"));
  EXPECT_EQ(faults(), 0U);
  EXPECT_THAT(submit("a", "1"), HasSubstr("application_accepted"));
}

TEST_F(Prepare, IndependentAskIsRefusedLikewise) {
  queue_config leaf_of_all = leaf("default", {{"application.sort.policy", "ranked"}});
  start({leaf_of_all});
  it_->ask("", "x", {{"vcore", 1}}, 0, {{"rank", "soon"}});
  EXPECT_THAT(it_->decisions().back(), HasSubstr("application sort policy ranked of queue root.default refused"));
  EXPECT_TRUE((*it_)->snapshot().partitions[0].applications.empty());
}

TEST_F(Prepare, FaultIsCountedAndLeavesZeroes) {
  start();
  submit("a", "1");
  EXPECT_THAT(submit("b", "a bug"), HasSubstr("application_accepted"));
  EXPECT_EQ(faults(), 1U);
  EXPECT_THAT(turns(), ElementsAre("b", "a"));
}

TEST_F(Prepare, PolicyThatComesByReloadPreparesThemAgain) {
  start({leaf("leaf", {{"application.sort.policy", "fifo"}})});
  submit("c", "30");
  submit("a", "10");
  submit("bad", "soon");
  submit("b", "20");
  EXPECT_THAT(reload([](queue_config &root) { root.queues[0].properties["application.sort.policy"] = "ranked"; }),
              HasSubstr("configured"));
  EXPECT_EQ(faults(), 1U);
  EXPECT_THAT(turns(), ElementsAre("bad", "a", "b", "c"));
}

TEST_F(Prepare, QueuesGoByTheirWords) {
  queue_config parent = named_queue("p", {}, {leaf("a", {{"rank", "2"}}), leaf("b", {{"rank", "1"}}), leaf("c")});
  parent.properties = {{"queue.sort.policy", "ranked"}, {"rank", "3"}};  // c inherits it
  start({parent});
  for (const char *id : {"c", "a", "b"}) submit(id, "", own_.text("root.p." + std::string(id)));
  EXPECT_THAT(turns(), ElementsAre("b", "a", "c"));
  reload([](queue_config &root) { root.queues[0].queues[2].properties["rank"] = "0"; });
  for (const char *id : {"a", "b", "c"}) it_->ask(id, "x", {{"vcore", 1000}});
  EXPECT_THAT(turns(), ElementsAre("c", "b", "a"));
}

TEST_F(Prepare, PropertyThatIsRefusedRefusesTheConfiguration) {
  queue_config parent = named_queue("p", {}, {leaf("a"), leaf("b", {{"rank", "1"}})});
  parent.properties = {{"queue.sort.policy", "ranked"}};
  start({parent});
  EXPECT_THAT(reload([](queue_config &root) { root.queues[0].queues[1].properties["rank"] = "soon"; }),
              HasSubstr("queue sort policy ranked refused the properties of queue root.p.b: "
                        "rank: want a number, have soon"));
  submit("a", "", "root.p.a");
  submit("b", "", "root.p.b");
  EXPECT_THAT(turns(), ElementsAre("a", "b")) << "as before";
  EXPECT_THAT(reload([](queue_config &root) { root.queues[0].properties["rank"] = "x"; }), HasSubstr("root.p.a: "))
      << "inherited";
  EXPECT_EQ(faults(), 0U);
}

TEST_F(Prepare, QueueOfATemplateIsPreparedWhenItIsMade) {
  queue_config parent = named_queue("p", {}, {leaf("a", {{"rank", "5"}})});
  parent.properties = {{"queue.sort.policy", "ranked"}};
  parent.child_template.properties = {{"rank", "7"}};
  start({parent});
  cluster_config config = it_->config();
  placement_rule_config provided;
  provided.name = "provided";
  provided.create = true;
  config.partitions[0].placement_rules = {provided};
  it_->configure(config);
  submit("a", "", "root.p.a");
  submit("new", "", "root.p.new");
  EXPECT_THAT(turns(), ElementsAre("a", "new"));
  EXPECT_THAT(reload([](queue_config &root) { root.queues[0].child_template.properties["rank"] = "x"; }),
              HasSubstr("root.p.*: rank: want a number"));
}

}  // namespace
}  // namespace tenon::testing
