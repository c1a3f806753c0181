// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the cases of the interface suite share: a scheduler that runs, and an RM.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "requests.hpp"
#include "suite.hpp"

namespace tenon::interface {

inline constexpr char queues[] = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: default
          - name: small
            resources: { max: { vcore: 2 } }
)";

// What runs in root.rich gives way to asks of root.poor, which is guaranteed something.
inline constexpr char rich_and_poor[] = R"(
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: rich
          - name: poor
            resources: { guaranteed: { vcore: 2 } }
            properties: { preemption.delay: 1ms }
)";

inline std::string way_name(const ::testing::TestParamInfo<way> &one) {
  std::string out = one.param.about.name;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

class Interface : public ::testing::TestWithParam<way> {
 protected:
  void SetUp() override {
    world_ = GetParam().open(queues, false);
    ASSERT_NE(world_, nullptr);
    rm_ = world_->client();
  }

  // Skips, visibly, where the way lacks what the case needs.
  [[nodiscard]] bool lacks(const std::string &need) const { return GetParam().about.blanks.contains(need); }
  [[nodiscard]] std::string reason(const std::string &need) const { return GetParam().about.blanks.at(need); }

  void enter(const registration_request &request = {}) {
    const outcome out = rm_->enter(request);
    ASSERT_TRUE(out.good) << out.words;
  }
  void submit(const requests &batch) {
    const outcome out = rm_->submit(batch.messages());
    ASSERT_TRUE(out.good) << out.words;
  }
  // The next answer of a type, about this key, node or application where one is named; others are kept aside.
  heard expect(uint32_t type, const std::string &about = {}) {
    const auto fits = [&](const heard &one) {
      return one.type == type && (about.empty() || one.key == about || one.node == about || one.application == about);
    };
    for (size_t i = 0; i < aside_.size(); ++i) {
      if (!fits(aside_[i])) continue;
      heard out = aside_[i];
      aside_.erase(aside_.begin() + static_cast<ptrdiff_t>(i));
      return out;
    }
    while (auto one = rm_->next(std::chrono::seconds(30))) {
      if (fits(*one)) return *one;
      aside_.push_back(*one);
    }
    std::string seen;
    for (const heard &one : aside_) seen += "\n  " + text_of(one);
    ADD_FAILURE() << "no answer of type " << type << " about '" << about << "'; seen:" << seen;
    return {};
  }

  // What comes meanwhile is kept aside. For what must not come: too short a time lets a fault through, never the
  // reverse.
  bool hears_within(uint32_t type, std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
      const auto one = left.count() > 0 ? rm_->next(left) : std::nullopt;
      if (!one) return false;
      aside_.push_back(*one);
      if (one->type == type) return true;
    }
  }

  // An RM that answers no check before the flag is set, with node-1 and an ask "ask-1" of "app-1".
  std::shared_ptr<std::atomic<bool>> ask_of_silent_rm() {
    auto answers = std::make_shared<std::atomic<bool>>(false);
    registration_request request;
    request.may_run = [answers](const heard &) { return *answers ? std::optional(true) : std::nullopt; };
    enter_with_ask(request);
    return answers;
  }
  void enter_with_ask(const registration_request &request) {
    enter(request);
    requests batch;
    batch.application("app-1").node("node-1", {{"vcore", 10'000}});
    submit(batch);
    expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
    expect(TENON_RM_ACCEPTED_NODE, "node-1");
    requests asks;
    asks.ask({.key = "ask-1"});
    submit(asks);
  }

  std::unique_ptr<world> world_;
  std::unique_ptr<rm_client> rm_;
  std::vector<heard> aside_;
};

}  // namespace tenon::interface
