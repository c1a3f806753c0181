// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Rule ports: what the ready index asks of rules, and what it tells them. Each is provided by the class of one rule;
// nothing in this room knows which.
#pragma once

#include <cstdint>

#include "model/ask_class.hpp"
#include "model/objects.hpp"
#include "policies/bound_sort_policy.hpp"

namespace tenon::internal {

// Which nodes predicates let asks of a class have.
class node_filter {
 public:
  [[nodiscard]] bool passes(const ask_class &c, uint32_t slot) {
    return c.judged == nullptr || is_passed(*c.judged, c.need, slot);
  }
  // As far as is known: where nothing but waking goes by it, a call that fails is no reason against the node.
  [[nodiscard]] bool may_pass(const ask_class &c, uint32_t slot) {
    return c.judged == nullptr || may_be_passed(*c.judged, c.need, slot);
  }
  // How often a predicate failed. What was found while that changed may be of nodes that are refused by now.
  [[nodiscard]] uint64_t faults() const { return faults_; }
  // What was found of the node holds no longer; or not where its amounts were read.
  virtual void forget(uint32_t slot) = 0;
  virtual void amounts_changed(uint32_t slot) = 0;

 protected:
  ~node_filter() = default;
  uint64_t faults_ = 0;

 private:
  virtual bool is_passed(verdict_set &v, const resources &need, uint32_t slot) = 0;
  virtual bool may_be_passed(verdict_set &v, const resources &need, uint32_t slot) = 0;
};

// What the RM said of nodes.
class refused_nodes {
 public:
  // Another answer is possible there: nothing that was refused is remembered.
  virtual void forget_on(const node &n) = 0;

 protected:
  ~refused_nodes() = default;
};

// Takes the place of a policy that failed.
class policy_fallback {
 public:
  virtual void failed(sort_policy &policy) = 0;
  virtual void count(uint64_t faults) = 0;  // of calls in whose place nothing is needed

 protected:
  ~policy_fallback() = default;
};

}  // namespace tenon::internal
