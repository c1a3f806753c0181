// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What policies say of queues, applications and nodes, with what they read to say it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tenon/kernel/module_kinds.hpp"

namespace tenon {

// Asked about are these asks, their applications, the queues of those, and these nodes for each of the asks. What is
// not there is left out.
struct policy_question {
  std::vector<std::pair<std::string, std::string>> asks;  // application and key
  std::vector<std::string> nodes;
};

struct policy_answer {
  module_kind kind = module_kind::queue_sort;
  std::string policy;   // as configuration names it
  std::string among;    // the queue whose children or applications it orders
  std::string ask;      // "application/key" for which nodes are scored or judged; empty: they are ordered for all alike
  std::string item;     // a queue, an application or a node
  bool failed = false;  // the module did: nothing below is known but the columns
  std::vector<uint64_t> key;          // of sort kinds: by these words, smaller first
  int64_t not_before_ms = INT64_MIN;  // of sort kinds: left out until then; TENON_NOT_NOW: until something changes
  std::string verdict, reason;        // of predicates: pass, fail or unresolvable
  std::vector<std::pair<std::string, std::string>> columns;  // as declared, and the value that the policy read
};

}  // namespace tenon
