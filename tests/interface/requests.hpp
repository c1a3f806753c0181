// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Requests of an RM with everything that they point to.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/rm_requests.h"

namespace tenon::interface {

using amounts_of = std::map<std::string, int64_t>;
using tags_of = std::map<std::string, std::string>;

struct ask_of {
  std::string application = "app-1", key = "ask-1";
  amounts_of resources = {{"vcore", 1000}};
  int32_t max_allocations = 1, priority = 0;
  tags_of tags = {};
  std::string task_group = {};
  bool placeholder = false;
  std::string partition = {};
  int64_t timeout_ms = 0;
  bool may_preempt_others = false;
};

struct existing_of {
  std::string application = "app-1", key = "ask-1", uuid = {};
  amounts_of resources = {{"vcore", 1000}};
  tags_of tags = {};
};

// A batch under construction; its messages live as long as it does.
class requests {
 public:
  requests &application(const std::string &id, const std::string &queue = "root.default", const tags_of &tags = {},
                        const std::string &user = "alice", const std::string &partition = {});
  requests &gang(const std::string &id, const amounts_of &placeholders, const std::string &style = "soft",
                 int64_t timeout_ms = 0, const tags_of &tags = {});
  requests &remove_application(const std::string &id);
  requests &node(const std::string &id, const amounts_of &capacity, const tags_of &attributes = {},
                 const std::vector<existing_of> &existing = {}, uint32_t action = TENON_NODE_CREATE);
  requests &change_node(const std::string &id, uint32_t action, const amounts_of &capacity = {});
  requests &ask(const ask_of &what);
  // The same as an allocation without node, which may stand for one allocation alone.
  requests &ask_by_allocation(const ask_of &what);
  // An allocation that runs on the node.
  requests &allocation(const existing_of &what, const std::string &node);
  requests &release(const std::string &application, const std::string &key, const std::string &uuid = {},
                    uint32_t termination = TENON_TERMINATION_STOPPED_BY_RM, const std::string &partition = {});
  requests &release_ask(const std::string &application, const std::string &key);
  // The answer to TENON_RM_CHECK.
  requests &checked(uint64_t number, bool accepted, const std::string &reason = {});
  // What was refused may be accepted by now.
  requests &check_again(const std::string &application, const std::string &key = {});
  requests &configuration(const std::string &rm, const std::string &queues);
  requests &recovery_done();

  [[nodiscard]] std::span<const tenon_rm_message *const> messages() const { return messages_; }
  [[nodiscard]] size_t size() const { return messages_.size(); }

 private:
  tenon_text text(std::string_view from);
  tenon_rm_pairs pairs(const tags_of &from);
  tenon_rm_amounts amounts(const amounts_of &from);
  tenon_rm_allocation made(const existing_of &what);

  std::deque<std::string> texts_;
  std::deque<std::vector<tenon_text>> lists_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<const tenon_rm_message *>> pointers_;
  std::deque<tenon_rm_application> applications_;
  std::deque<tenon_rm_application_removal> removals_;
  std::deque<tenon_rm_node> nodes_;
  std::deque<tenon_rm_ask> asks_;
  std::deque<tenon_rm_allocation> allocations_;
  std::deque<tenon_rm_release> releases_;
  std::deque<tenon_rm_ask_release> ask_releases_;
  std::deque<tenon_rm_configuration> configurations_;
  std::deque<tenon_rm_check_answer> check_answers_;
  std::deque<tenon_rm_check_again> checks_again_;
  std::deque<tenon_rm_recovery_report> recovery_reports_;
  std::vector<const tenon_rm_message *> messages_;
};

}  // namespace tenon::interface
