// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement rules of a partition, ready to be asked, and the application that asks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policies/rule_source.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/placement_filter.hpp"
#include "tenon/kernel/policies.hpp"
#include "tenon/kernel/queue_config.hpp"

namespace tenon::internal {

struct placement_rule {
  std::string name;
  bool create = false;
  placement_filter filter;
  std::unique_ptr<bound_policy> bound;
  size_t value_length = 0;  // of its configuration
  std::unique_ptr<placement_rule> parent;
};

// Binds the rule and its parents; why it cannot be had, or "".
[[nodiscard]] std::string build_rule(const placement_rule_config &config, rule_source &rules,
                                     uint32_t max_resource_types, std::unique_ptr<placement_rule> &out);

// Those of a partition: without any the one that takes the queue that is named.
[[nodiscard]] std::string build_rules(std::vector<placement_rule_config> wanted, rule_source &rules,
                                      uint32_t max_resource_types, std::vector<std::unique_ptr<placement_rule>> &out);

// An application as rules see it. Views the command and the tree, which live longer.
class placement_request {
 public:
  struct answer {
    std::string name;        // a valid path, as written; empty: the rule gives none
    bool qualified = false;  // from root down
    std::string refused;     // why the application is, or ""
    bool fault = false;      // the rule's module failed, and gives nothing
  };

  placement_request(const tenon::add_application &c, const tenon_queue_tree &queues, int64_t now_ms);
  placement_request(const placement_request &) = delete;
  placement_request &operator=(const placement_request &) = delete;

  // What the rule's own policy says; its parent is not asked.
  [[nodiscard]] answer ask(const placement_rule &rule);
  // What it gives where its policy gives this: a name below a parent, or a path from the root down.
  [[nodiscard]] static answer checked(std::string name, bool qualified);
  [[nodiscard]] const tenon::add_application &application() const { return application_; }

 private:
  const tenon::add_application &application_;
  std::vector<tenon_text> groups_, tag_names_, tag_values_;
  tenon_place_in in_{};
  size_t longest_;    // text of the application, bytes
  std::string room_;  // for the name
};

}  // namespace tenon::internal
