// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Policy inquiry: asks the policies of a partition for their keys and verdicts once more, and keeps what they read.
// Policies are pure, so this is what they said when the state became what it is. Nothing is kept of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "forward.hpp"
#include "model/application_table.hpp"
#include "policies/call_contexts.hpp"
#include "policies/sort_orders.hpp"
#include "tenon/kernel/policy_answers.hpp"

namespace tenon::internal {

struct policy_inquiry_access {
  const call_contexts &contexts;
  const application_table &applications;
  const class_table &classes;
  node_table &nodes;
  node_sortings &sortings;
  const node_verdicts &verdicts;
};

class policy_inquiry : policy_inquiry_access {
 public:
  explicit policy_inquiry(const policy_inquiry_access &all) : policy_inquiry_access(all) {}

  // Queues from the root down, then applications, nodes, and predicates in their order; an item of an order once.
  [[nodiscard]] std::vector<policy_answer> answers(const policy_question &about) &&;

 private:
  void order_queues(queue &q);
  void order_applications(application &app);
  void order_nodes(const ask &a, std::span<const uint32_t> slots);
  void judge_nodes(const ask &a, std::span<const uint32_t> slots);
  // Null: it is among them already.
  policy_answer *add(module_kind kind, const bound_policy &by, std::string_view among, std::string_view item,
                     const std::string &of_ask = {});
  void add_key(policy_answer &to, const sort_policy &policy, bool ok, const key_batch &keys, size_t at) const;

  std::vector<policy_answer> out_;
};

}  // namespace tenon::internal
