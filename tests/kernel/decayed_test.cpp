// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Columns of the past: `queue.decayed` and `app.decayed` are what a step by step sum over time gives, and their steps
// wake who waits for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cluster.hpp"
#include "tenon/sdk/sort_policy.hpp"
#include "with_module.hpp"

namespace {

using namespace tenon::sdk;

struct seen {
  int64_t at_ms, value;
};
std::vector<seen> of_queue, of_app;  // values that policies were given, of queue `red` and of application `r`

// Smallest first of what was, with what is.
struct past_first {
  static constexpr std::string_view name = "past-first";
  static constexpr std::tuple columns{resources_column{"queue.decayed:10"}, resources_column{"queue.allocated"},
                                      text_column{"queue.property:watch"}};
  void begin(const auto &queues) { now_ms_ = queues.now_ms(); }
  int64_t key(const auto &queue) const {
    const auto [past, present, watched] = queue.values();
    if (watched) of_queue.push_back({now_ms_, past[0]});
    return past[0] + present[0];
  }
  int64_t now_ms_ = 0;
};

// Nothing for a queue until its past is below 100.
struct waits_for_past {
  static constexpr std::string_view name = "waits-for-past";
  static constexpr std::tuple columns{resources_column{"queue.decayed:10"}};
  int64_t key(const auto &) const { return 0; }
  int64_t not_before(const auto &queue) const { return queue.template get<0>()[0] < 100 ? 0 : TENON_NOT_NOW; }
};

struct app_past {
  static constexpr std::string_view name = "app-past";
  static constexpr std::tuple columns{resources_column{"app.decayed:10"}, text_column{"app.tag:watch"}};
  void begin(const auto &apps) { now_ms_ = apps.now_ms(); }
  int64_t key(const auto &app) const {
    if (app.template get<1>()) of_app.push_back({now_ms_, app.template get<0>()[0]});
    return app.template get<0>()[0];
  }
  int64_t now_ms_ = 0;
};

struct unreadable {
  static constexpr std::string_view name = "unreadable";
  static constexpr std::tuple columns{resources_column{"queue.decayed:day"}};
  int64_t key(const auto &) const { return 0; }
};

}  // namespace

TENON_MODULE(queue_sort<past_first>, queue_sort<waits_for_past>, queue_sort<unreadable>, app_sort<app_past>)

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t step_ms = 200;  // a fiftieth of ten seconds

class Decayed : public ::testing::Test {
 protected:
  void start(const std::string &order) {
    of_queue.clear();
    of_app.clear();
    queue_config parent = named_queue("p", {}, {named_queue("red"), named_queue("blue")});
    parent.properties = {{"queue.sort.policy", order}};
    for (queue_config &leaf : parent.queues) leaf.properties = {{"application.sort.policy", "app-past"}};
    parent.queues[0].properties["watch"] = "yes";
    it_ = std::make_unique<cluster>(policies_, std::vector{parent});
    it_->add_node("node-1", {{"vcore", 8'000}});
    submit("r", "root.p.red");
    submit("b", "root.p.blue");
  }
  void submit(std::string_view id, std::string_view queue) {
    add_application c;
    c.partition = default_partition;
    c.application = id;
    c.queue = queue;
    c.user = "testuser";
    if (id == "r") c.tags = own_.tags({{"watch", "yes"}});
    it_->run(c);
  }
  std::string ask(std::string_view app, int64_t vcore) {
    const std::string key = "k" + std::to_string(next_++);
    it_->ask(app, own_.text(key), {{"vcore", vcore}});
    return key;
  }
  void pass(int64_t ms) {
    it_->advance(ms);
    it_->settle();
  }
  int64_t now() { return (*it_)->now_ms(); }

  with_module policies_{TENON_MODULE_ENTRY};
  arena own_;
  std::unique_ptr<cluster> it_;
  int next_ = 0;
};

// What red had, and what comes of it millisecond by millisecond.
class slow_sum {
 public:
  explicit slow_sum(int64_t from_ms) : now_ms_(from_ms) {}
  void run_to(int64_t ms) {
    for (; now_ms_ < ms; ++now_ms_) {
      in_step_ += static_cast<double>(has_);
      if ((now_ms_ + 1) % step_ms != 0) continue;
      const double mean = in_step_ / step_ms;
      value_ = mean + (value_ - mean) * std::exp2(-1.0 / 50);
      in_step_ = 0;
    }
  }
  void change(int64_t by) { has_ += by; }
  [[nodiscard]] double value() const { return value_; }

 private:
  int64_t now_ms_, has_ = 0;
  double value_ = 0, in_step_ = 0;
};

TEST_F(Decayed, ValuesAreTheSumOverTime) {
  start("past-first");
  std::mt19937 random(7);
  slow_sum expected(now());
  std::vector<std::pair<std::string, int64_t>> running;
  size_t compared = 0;
  const auto compare = [&](std::vector<seen> &values) {
    for (const seen &one : values) {
      EXPECT_EQ(one.at_ms, now());
      EXPECT_NEAR(static_cast<double>(one.value), expected.value(), 0.6);
      ++compared;
    }
    values.clear();
  };
  for (int i = 0; i < 600; ++i) {
    pass(static_cast<int64_t>(random() % 16 == 0 ? random() % 20'000 : random() % 300));
    expected.run_to(now());
    if (random() % 2 == 0 && running.size() < 8) {
      const auto vcore = static_cast<int64_t>(1 + random() % 900);
      running.emplace_back(ask("r", vcore), vcore);
      it_->settle();
      expected.change(vcore);
    } else if (!running.empty()) {
      const size_t which = random() % running.size();
      it_->give_back("r", own_.text(running[which].first));
      expected.change(-running[which].second);
      running.erase(running.begin() + static_cast<ptrdiff_t>(which));
    }
    compare(of_queue);
    compare(of_app);
  }
  EXPECT_GT(compared, 200U);
}

// Red is where it was; blue runs on, and so falls behind by time alone.
TEST_F(Decayed, StepsMakeKeysAnew) {
  start("past-first");
  const std::string first = ask("r", 8'000);
  pass(0);
  pass(10'000);
  it_->give_back("r", first);
  ask("b", 2'000);
  pass(0);
  it_->set_capacity("node-1", {{"vcore", 2'000}});
  const std::string next_of_r = ask("r", 1'000), next_of_b = ask("b", 1'000);
  pass(100);
  it_->set_capacity("node-1", {{"vcore", 3'000}});
  pass(0);
  EXPECT_EQ(it_->placed("b", next_of_b), 1U) << "4000 of red against 2000 of blue";
  const std::string last_of_b = ask("b", 1'000);
  pass(60'000);
  it_->set_capacity("node-1", {{"vcore", 4'000}});
  pass(0);
  EXPECT_EQ(it_->placed("r", next_of_r), 1U) << "hardly anything of red against 6000 of blue";
  EXPECT_EQ(it_->placed("b", last_of_b), 0U);
}

TEST_F(Decayed, StepWakesWhoWaits) {
  start("waits-for-past");
  const std::string first = ask("r", 400);
  pass(0);
  pass(10'000);
  it_->give_back("r", first);
  const std::string next = ask("r", 400);
  pass(0);
  EXPECT_EQ(it_->placed("r", next), 0U) << "200";
  pass(9'600);
  EXPECT_EQ(it_->placed("r", next), 0U) << "103";
  ASSERT_TRUE((*it_)->next_due().has_value());
  EXPECT_LE(*(*it_)->next_due(), now() + step_ms) << "the host knows when to step";
  pass(800);
  EXPECT_EQ(it_->placed("r", next), 1U) << "97";
}

TEST_F(Decayed, OrderThatComesByReloadBeginsWithNothing) {
  start("fair");
  const std::string first = ask("r", 400);
  pass(0);
  pass(60'000);
  cluster_config config = it_->config();
  config.partitions[0].root.queues[0].properties["queue.sort.policy"] = "past-first";
  it_->configure(config);
  ask("r", 1);
  pass(0);
  ASSERT_FALSE(of_queue.empty());
  EXPECT_EQ(of_queue.back().value, 0);
  of_queue.clear();
  pass(10'000);
  ask("r", 1);
  pass(0);
  ASSERT_FALSE(of_queue.empty());
  EXPECT_NEAR(static_cast<double>(of_queue.back().value), 200.5, 4);
}

TEST_F(Decayed, HalfLifeThatIsNoNumberIsRefused) {
  start("fair");
  cluster_config config = it_->config();
  config.partitions[0].root.queues[0].properties["queue.sort.policy"] = "unreadable";
  it_->configure(config);
  EXPECT_THAT(it_->decisions().back(), HasSubstr("a half-life in whole seconds, 1 to 31536000"));
}

}  // namespace
}  // namespace tenon::testing
