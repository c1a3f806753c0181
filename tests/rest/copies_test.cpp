// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Plans, explanations and what-if questions are found out beside the scheduler, which goes on meanwhile.
#include <gmock/gmock.h>

#include <condition_variable>
#include <thread>

#include "rest_case.hpp"

namespace tenon::rest::testing {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::HasSubstr;

// The running scheduler, with a gate before one of the turns that are wanted.
class gated_access final : public observe::kernel_access {
 public:
  explicit gated_access(service::scheduler &to) : to_(to) {}

  // Whoever wants this turn from now on, the first being 1, is held until open().
  void hold(int turn) {
    const std::lock_guard lock(mutex_);
    hold_ = turns_ + turn;
  }
  [[nodiscard]] bool holds() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, minutes(2), [&] { return held_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    hold_ = 0;
    changed_.notify_all();
  }

  bool call(const std::function<void(kernel &, const applier &)> &work) override {
    {
      std::unique_lock lock(mutex_);
      held_ = turns_ + 1 == hold_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return turns_ + 1 != hold_; });
      held_ = false;
    }
    const bool ran =
        to_.call([&](service::cycle_access &on) { work(on.state(), [&](const command &c) { on.apply(c); }); });
    const std::lock_guard lock(mutex_);
    ++turns_;
    changed_.notify_all();
    return ran;
  }
  [[nodiscard]] std::vector<observe::rm_record> rms() const override {
    std::vector<observe::rm_record> out;
    for (const service::rm_status &one : to_.rms()) {
      observe::rm_record &rm = out.emplace_back();
      rm.id = one.id;
      rm.policy_group = one.policy_group;
      rm.configuration = *one.configuration;
    }
    return out;
  }
  [[nodiscard]] std::vector<observe::policy_group_record> policy_groups() const override {
    std::vector<observe::policy_group_record> out;
    for (auto &[name, text] : to_.policy_groups()) out.push_back({name, text, {}});
    return out;
  }
  [[nodiscard]] std::string configuration(std::string_view, std::string_view) const override { return {}; }
  observe::configured configure(const observe::configuration_wish &) override { return {}; }
  bool recovery_done(std::string_view) override { return false; }
  [[nodiscard]] bool is_manual() const override { return false; }
  uint64_t step(std::optional<partition_id>, uint32_t) override { return 0; }
  bool log_level(std::string_view) override { return false; }
  std::optional<std::string> lift_quarantine(std::string_view) override { return {}; }
  void audit(const observe::audited &) override {}
  [[nodiscard]] std::vector<observe::figure> figures() const override { return {}; }
  void ask_for_rms(std::function<void(std::vector<observe::rm_standing>)>) override {}
  [[nodiscard]] std::vector<observe::health_check> checks() const override { return {}; }

 private:
  service::scheduler &to_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int turns_ = 0, hold_ = 0;
  bool held_ = false;
};

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  return text.replace(text.find(what), what.size(), by);
}

class Copies : public rest_case {
 protected:
  void start() {
    open({"requests_per_second_per_client: 0"});
    session_ = small_cluster();
    beside_ = std::make_unique<observe::services>(access(), service_->modules());
  }
  void TearDown() override {
    beside_.reset();
    access_.reset();
    rest_case::TearDown();
  }
  gated_access &access() {
    if (access_ == nullptr) access_ = std::make_unique<gated_access>(*service_);
    return *access_;
  }
  void ask(const std::string &key) {
    submit(session_, interface::requests().ask({.application = "app-1", .key = key}));
  }
  void until_allocated(size_t count) {
    until("/ws/v1/partition/default/application/app-1",
          [&](const reply &r) { return r.json().at("allocations").as_array().size() == count; });
  }
  observe::plan_said plan(milliseconds within = minutes(2)) {
    const std::string text =
        replaced(replaced(queues, "application.sort.policy: fifo}",
                          "application.sort.policy: fifo}\n            resources: {max: {vcore: 1}}"),
                 "[{name: provided, create: false}]", "[{name: user, create: false}]");
    return beside_->plan({text, "new.yaml", {}}, within);
  }
  std::optional<explanation> explain(const std::string &application, const std::string &key,
                                     milliseconds within = minutes(2)) {
    std::optional<explanation> out;
    if (!beside_->explain("[rm]default", application, key, within, out)) return std::nullopt;
    return out;
  }
  observe::what_if_said what_if() {
    json::object one{{"resources", {{"vcore", 1}}}};
    json::object application{{"queue", "root.default"}, {"asks", json::array{one}}};
    return beside_->what_if({{"applications", json::array{application}}}, {}, minutes(2));
  }

  uint64_t session_ = 0;
  int more_ = 0;
  std::unique_ptr<gated_access> access_;
  std::unique_ptr<observe::services> beside_;
};

// What the plan says that root.default uses, of resource type vcore.
int64_t over_max(const observe::plan_said &said) {
  for (const json::value &loss : said.answer.at("plans").at(0).at("losses").as_array())
    if (loss.at("kind") == "over-max") return loss.at("has").as_int64();
  return 0;
}

TEST_F(Copies, TheSchedulerDecidesWhileAPlanIsMade) {
  start();
  // The turns of a plan: a look, the copy, and one for each policy that the new configuration has.
  access().hold(3);
  observe::plan_said said;
  std::thread planner([&] { said = plan(); });
  EXPECT_TRUE(access().holds()) << "its policies are made in turns of their own";
  ask("late-1");
  ask("late-2");
  until_allocated(5);
  EXPECT_FALSE(explain("app-2", "large", milliseconds(50))) << "it waits for the plan, and the scheduler for neither";
  access().open();
  planner.join();
  ASSERT_EQ(said.status, TENON_OK) << said.why.text();
  EXPECT_EQ(over_max(said), 3'000) << "it is of the moment of the copy: " << json::serialize(said.answer);
  EXPECT_EQ(over_max(plan()), 5'000);
}

TEST_F(Copies, OneServesPlansExplanationsAndQuestionsWhileNothingHappens) {
  start();
  // Whether an RM checks placements is no part of what happens: a copy has it as it was when it was made.
  const auto check = [&](const rm_check &by) {
    EXPECT_TRUE(service_->call([&](service::cycle_access &on) { on.state().set_rm_check(by); }));
  };
  const auto serves_a_question = [&](const auto &other) {
    // Time may make the scheduler take a command meanwhile: then another copy serves, and it is tried once more.
    for (int i = 0; i < 20; ++i) {
      ask("more-" + std::to_string(++more_));
      other();
      check([](partition_id, std::string_view, std::string_view, std::string_view, bool) { return true; });
      const observe::what_if_said said = what_if();
      check({});
      EXPECT_EQ(said.status, TENON_OK) << said.why.text();
      if (said.status != TENON_OK) return false;
      if (said.answer.at("subject_to_check") == false) return true;
    }
    return false;
  };
  EXPECT_TRUE(serves_a_question([&] { EXPECT_EQ(plan().status, TENON_OK); })) << "of a plan";
  EXPECT_TRUE(serves_a_question([&] { EXPECT_EQ(explain("app-2", "large")->outcome, change_outcome::runs); }));
  EXPECT_FALSE(serves_a_question([] {})) << "the one there is of before";
}

TEST_F(Copies, WhatIsTooLargeIsNeitherPlannedNorTried) {
  most_copied_ = 50;
  open();
  const uint64_t session = small_cluster();
  const observe::plan_wish wish{replaced(queues, "maxapplications: 50", "maxapplications: 40"), "new.yaml", {}};
  EXPECT_EQ(people_->all().plan(wish, minutes(2)).status, TENON_OK);
  const std::string large = "/tenon/v1/partition/default/application/app-2/explain/large";
  EXPECT_EQ(get(large).json().at("outcome"), "runs");
  interface::requests batch;
  for (int i = 0; i < 50; ++i) batch.ask({.application = "app-2", .key = "many-" + std::to_string(i)});
  submit(session, batch);
  const observe::plan_said no = people_->all().plan(wish, minutes(2));
  EXPECT_EQ(no.status, TENON_UNSCHEDULABLE);
  EXPECT_THAT(no.why.text(), HasSubstr("at most 50 asks, allocations, applications and nodes"));
  EXPECT_THAT(no.why.text(), HasSubstr("--journal FILE"));
  const json::value why = get(large).json();
  EXPECT_EQ(why.at("outcome"), "not-tried") << "what holds it is said all the same: " << why;
  EXPECT_FALSE(why.at("obstacles").as_array().empty());
}

}  // namespace
}  // namespace tenon::rest::testing
