// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policies of a module that lives in processes of its own, and the faults of their calls.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "children.hpp"
#include "fixture_folder.hpp"
#include "tenon/abi/predicate.h"

namespace tenon::host::testing {

inline constexpr char short_deadline[] = "isolation: process, process: { call_deadline: 300ms }";

class Isolation : public ::testing::Test {
 protected:
  Isolation() {
    modules_.options.check_calls = false;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault); };
  }
  ~Isolation() override {
    policy_.reset();
    host_.reset();
    EXPECT_THAT(children(), ::testing::IsEmpty());
  }

  void open(const std::string &fixture, module_kind kind = module_kind::node_sort,
            const std::string &entry = "isolation: process, process: { call_deadline: 20s }",
            fixture_manifest manifest = {}) {
    if (kind == module_kind::predicate) manifest.interface = TENON_PREDICATE;
    modules_.install(fixture, manifest);
    auto host = modules_.open({fixture}, entry);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto policy = host_->bind(kind, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
  }

  refusal bind_refused(const std::string &fixture) {
    modules_.install(fixture);
    auto host = modules_.open({fixture}, "isolation: process");
    if (!host) return host.why();
    const auto policy = (*host)->bind(module_kind::node_sort, "fixture", "{}", 16);
    EXPECT_FALSE(policy) << fixture << " was bound";
    return policy ? refusal{} : policy.why();
  }

  tenon_status keys(uint32_t items = 3) {
    const role_guard guard(thread_role::cycle);
    const tenon_batch in = batch(items);
    keys_.fill(77);
    not_before_.fill(INT64_MIN);
    valid_until_.fill(INT64_MAX);
    tenon_keys_out out{sizeof out, policy_->key_words, keys_.data(), not_before_.data(), valid_until_.data()};
    return policy_->sort->keys(policy_->instance, &in, &out);
  }

  tenon_status filter(uint32_t items) {
    const role_guard guard(thread_role::cycle);
    const tenon_batch in = batch(items);
    verdicts_.fill(TENON_FAIL);
    reasons_.fill(0);
    tenon_filter_out out{sizeof out, 0, verdicts_.data(), reasons_.data()};
    return policy_->predicate->filter(policy_->instance, &in, &out);
  }

  // Calls until one is answered, or gives up.
  tenon_status filter_in_time(uint32_t items) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    tenon_status status = filter(items);
    while (status != TENON_OK && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      status = filter(items);
    }
    return status;
  }

  tenon_batch batch(uint32_t items) {
    tenon_batch in{};
    in.size = sizeof in;
    in.item_count = items;
    in.items = items_.data();
    return in;
  }

  // One fault of keys, in these words.
  void expect_fault(const std::string &words) {
    ASSERT_THAT(faults_, ::testing::SizeIs(1));
    EXPECT_EQ(faults_[0].slot, "keys");
    EXPECT_THAT(faults_[0].text, ::testing::HasSubstr(words));
    EXPECT_EQ(faults_[0].interface, "tenon.node-sort/1");
    EXPECT_THAT(modules_.log(), ::testing::HasSubstr(faults_[0].module));
  }

  fixture_folder modules_;
  std::unique_ptr<module_host> host_;
  std::unique_ptr<bound_policy> policy_;
  std::vector<module_fault> faults_;
  std::array<uint32_t, 8> items_{4, 5, 6, 7, 8, 9, 10, 11};
  std::array<uint64_t, 9> keys_{};  // one more than there are items
  std::array<int64_t, 9> not_before_{}, valid_until_{};
  std::array<uint8_t, 8> verdicts_{};
  std::array<uint16_t, 8> reasons_{};
};

}  // namespace tenon::host::testing
