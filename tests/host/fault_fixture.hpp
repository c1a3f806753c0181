// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A policy of a module, and the faults of its calls.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fixture_folder.hpp"
#include "tenon/abi/predicate.h"

namespace tenon::host::testing {

class Fault : public ::testing::Test {
 protected:
  Fault() {
    modules_.options.check_calls = false;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault); };
    modules_.options.on_violation = [this](const thread_violation &violation) {
      violations_.push_back(violation.text());
    };
  }

  // A policy of the fixture, whose deployment entry has `entry` after the id.
  void open(const std::string &fixture, module_kind kind, const std::string &entry = "") {
    fixture_manifest manifest;
    if (kind == module_kind::predicate) manifest.interface = TENON_PREDICATE;
    modules_.install(fixture, manifest);
    auto host = modules_.open({fixture}, entry);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto policy = host_->bind(kind, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
  }

  refusal bind_refused(const std::string &fixture, const std::string &entry = "") {
    modules_.install(fixture);
    auto host = modules_.open({fixture}, entry);
    if (!host) return host.why();
    const auto policy = (*host)->bind(module_kind::node_sort, "fixture", "{}", 16);
    EXPECT_FALSE(policy) << fixture << " was bound";
    return policy ? refusal{} : policy.why();
  }

  tenon_status keys(thread_role role = thread_role::cycle) {
    const role_guard guard(role);
    const tenon_batch in = batch();
    tenon_keys_out out{sizeof out, policy_->key_words, keys_.data(), not_before_.data(), valid_until_.data()};
    const tenon_status status = policy_->sort->keys(policy_->instance, &in, &out);
    return status;
  }

  tenon_status filter() {
    const role_guard guard(thread_role::cycle);
    const tenon_batch in = batch();
    verdicts_ = {};
    reasons_ = {};
    tenon_filter_out out{sizeof out, 0, verdicts_.data(), reasons_.data()};
    return policy_->predicate->filter(policy_->instance, &in, &out);
  }

  tenon_batch batch() {
    tenon_batch in{};
    in.size = sizeof in;
    in.item_count = 3;
    in.items = items_.data();
    return in;
  }

  fixture_folder modules_;
  std::unique_ptr<module_host> host_;
  std::unique_ptr<bound_policy> policy_;
  std::vector<module_fault> faults_;
  std::vector<std::string> violations_;
  std::array<uint32_t, 3> items_{4, 5, 6};
  std::array<uint64_t, 4> keys_{0, 0, 0, 77};  // one more than the batch
  std::array<int64_t, 4> not_before_{}, valid_until_{};
  std::array<uint8_t, 3> verdicts_{};
  std::array<uint16_t, 3> reasons_{};
};

}  // namespace tenon::host::testing
