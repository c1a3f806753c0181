// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

namespace tenon::interface {
namespace {

template <class Message>
Message &start(std::deque<Message> &in, uint32_t type, std::vector<const tenon_rm_message *> *messages) {
  Message &out = in.emplace_back();
  out = {};
  out.size = sizeof out;
  out.type = type;
  if (messages != nullptr) messages->push_back(reinterpret_cast<const tenon_rm_message *>(&out));
  return out;
}

}  // namespace

tenon_text requests::text(std::string_view from) {
  const std::string &kept = texts_.emplace_back(from);
  return {kept.data(), kept.size()};
}

tenon_rm_pairs requests::pairs(const tags_of &from) {
  auto &names = lists_.emplace_back();
  auto &values = lists_.emplace_back();
  for (const auto &[name, value] : from) {
    names.push_back(text(name));
    values.push_back(text(value));
  }
  return {names.data(), values.data(), names.size()};
}

tenon_rm_amounts requests::amounts(const amounts_of &from) {
  auto &types = lists_.emplace_back();
  auto &values = numbers_.emplace_back();
  for (const auto &[type, value] : from) {
    types.push_back(text(type));
    values.push_back(value);
  }
  return {types.data(), values.data(), static_cast<uint32_t>(types.size()), from.empty() ? 0U : 1U};
}

requests &requests::application(const std::string &id, const std::string &queue, const tags_of &tags,
                                const std::string &user, const std::string &partition) {
  auto &m = start(applications_, TENON_RM_APPLICATION, &messages_);
  m.application = text(id);
  m.queue = text(queue);
  m.partition = text(partition);
  m.user = text(user);
  m.user_present = 1;
  m.tags = pairs(tags);
  return *this;
}

requests &requests::gang(const std::string &id, const amounts_of &placeholders, const std::string &style,
                         int64_t timeout_ms, const tags_of &tags) {
  application(id, "root.default", tags);
  applications_.back().execution_timeout_ms = timeout_ms;
  applications_.back().placeholder_ask = amounts(placeholders);
  applications_.back().gang_style = text(style);
  return *this;
}

requests &requests::remove_application(const std::string &id) {
  start(removals_, TENON_RM_APPLICATION_REMOVAL, &messages_).application = text(id);
  return *this;
}

tenon_rm_allocation requests::made(const existing_of &what) {
  tenon_rm_allocation m{};
  m.size = sizeof m;
  m.type = TENON_RM_ALLOCATION;
  m.key = text(what.key);
  m.uuid = text(what.uuid);
  m.application = text(what.application);
  m.resources = amounts(what.resources);
  m.tags = pairs(what.tags);
  return m;
}

requests &requests::node(const std::string &id, const amounts_of &capacity, const tags_of &attributes,
                         const std::vector<existing_of> &existing, uint32_t action) {
  auto &list = pointers_.emplace_back();
  for (const existing_of &one : existing) {
    allocations_.push_back(made(one));
    allocations_.back().node = text(id);
    list.push_back(reinterpret_cast<const tenon_rm_message *>(&allocations_.back()));
  }
  auto &m = start(nodes_, TENON_RM_NODE, &messages_);
  m.node = text(id);
  m.action = action;
  m.attributes = pairs(attributes);
  m.schedulable = amounts(capacity);
  m.existing = list.data();
  m.existing_count = list.size();
  return *this;
}

requests &requests::change_node(const std::string &id, uint32_t action, const amounts_of &capacity) {
  auto &m = start(nodes_, TENON_RM_NODE, &messages_);
  m.node = text(id);
  m.action = action;
  m.schedulable = amounts(capacity);
  return *this;
}

requests &requests::ask(const ask_of &what) {
  auto &m = start(asks_, TENON_RM_ASK, &messages_);
  m.application = text(what.application);
  m.key = text(what.key);
  m.partition = text(what.partition);
  m.resources = amounts(what.resources);
  m.max_allocations = what.max_allocations;
  m.priority = {TENON_PRIORITY_VALUE, what.priority, {}};
  m.tags = pairs(what.tags);
  m.task_group = text(what.task_group);
  m.placeholder = what.placeholder ? 1 : 0;
  m.execution_timeout_ms = what.timeout_ms;
  if (what.may_preempt_others) m.preemption = {1, 1, 1, 0};
  return *this;
}

requests &requests::ask_by_allocation(const ask_of &what) {
  auto &m = start(allocations_, TENON_RM_ALLOCATION, &messages_);
  m.application = text(what.application);
  m.key = text(what.key);
  m.partition = text(what.partition);
  m.resources = amounts(what.resources);
  m.priority = {TENON_PRIORITY_VALUE, what.priority, {}};
  m.tags = pairs(what.tags);
  m.task_group = text(what.task_group);
  m.placeholder = what.placeholder ? 1 : 0;
  return *this;
}

requests &requests::allocation(const existing_of &what, const std::string &node) {
  allocations_.push_back(made(what));
  allocations_.back().node = text(node);
  messages_.push_back(reinterpret_cast<const tenon_rm_message *>(&allocations_.back()));
  return *this;
}

requests &requests::release(const std::string &application, const std::string &key, const std::string &uuid,
                            uint32_t termination, const std::string &partition) {
  auto &m = start(releases_, TENON_RM_RELEASE, &messages_);
  m.application = text(application);
  m.key = text(key);
  m.uuid = text(uuid);
  m.partition = text(partition);
  m.termination = termination;
  return *this;
}

requests &requests::release_ask(const std::string &application, const std::string &key) {
  auto &m = start(ask_releases_, TENON_RM_ASK_RELEASE, &messages_);
  m.application = text(application);
  m.key = text(key);
  m.termination = TENON_TERMINATION_STOPPED_BY_RM;
  return *this;
}

requests &requests::checked(uint64_t number, bool accepted, const std::string &reason) {
  auto &m = start(check_answers_, TENON_RM_CHECK_ANSWER, &messages_);
  m.number = number;
  m.accepted = accepted ? 1 : 0;
  m.reason = text(reason);
  return *this;
}

requests &requests::check_again(const std::string &application, const std::string &key) {
  auto &m = start(checks_again_, TENON_RM_CHECK_AGAIN, &messages_);
  m.application = text(application);
  m.key = text(key);
  return *this;
}

requests &requests::recovery_done() {
  start(recovery_reports_, TENON_RM_RECOVERY_REPORT, &messages_).done = 1;
  return *this;
}

requests &requests::configuration(const std::string &rm, const std::string &queues) {
  auto &m = start(configurations_, TENON_RM_CONFIGURATION, &messages_);
  m.rm = text(rm);
  m.config = text(queues);
  return *this;
}

}  // namespace tenon::interface
