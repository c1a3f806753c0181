// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "lifecycle/queue_tree.hpp"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "lifecycle/resource_intake.hpp"
#include "model/queue_properties.hpp"
#include "outbound/reader_marks.hpp"
#include "policies/bound_sort_policy.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/queue_priorities.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/limits.hpp"
#include "rules/quotas.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {
namespace {

bool has_applications(const queue &q) {
  return !q.apps.empty() ||
         std::any_of(q.children.begin(), q.children.end(), [](const auto &child) { return has_applications(*child); });
}

}  // namespace

queue *queue_tree::find_queue(std::string_view path) const {
  queue *q = root.get();
  size_t end = path.find('.');
  if (q == nullptr || path.substr(0, end) != q->name) return nullptr;
  while (end != std::string_view::npos) {
    const size_t from = end + 1;
    end = path.find('.', from);
    const std::string_view part = path.substr(from, end == std::string_view::npos ? end : end - from);
    const auto found = q->children_by_name.find(part);
    if (found == q->children_by_name.end()) return nullptr;
    q = found->second;
  }
  return q;
}

queue &queue_tree::create_queue(queue *parent, std::string_view own_name, bool leaf, bool managed) {
  auto owned = std::make_unique<queue>();
  queue &q = *owned;
  q.name = own_name;
  q.path = parent == nullptr ? q.name : parent->path + "." + q.name;
  q.parent = parent;
  q.sequence = next_++;
  q.leaf = leaf;
  q.managed = managed;
  q.ready = new queue_heap;
  if (parent == nullptr) {
    root = std::move(owned);
  } else {
    if (parent->order != nullptr) q.key.reset(parent->order->key_words());
    parent->children.push_back(std::move(owned));
    parent->children_by_name.emplace(q.name, &q);
  }
  changes.apply(queue_made{q});
  stop_if_wished(q);
  return q;
}

void queue_tree::stop_if_wished(queue &q) {
  if (q.state == object_state::active && stops.queues.contains(q.path)) {
    changes.apply(queue_moved{q, object_event::stop});
  }
}

bool queue_tree::knows_types_of(const amount_map &amounts) { return intake.bring_all(amounts); }

resources queue_tree::configured_amounts(const amount_map &from) { return intake.configured_amounts(from); }

resources queue_tree::configured_max(const queue &of) {
  resources out;
  for (const queue *q = &of; q->parent != nullptr; q = q->parent) out = component_min(out, q->max);
  return out;
}

std::optional<bool> queue_tree::may_administer(std::string_view path, std::string_view user,
                                               std::span<const std::string_view> groups_of_user) const {
  const queue *q = find_queue(path);
  if (q == nullptr && stops.queues.contains(path)) q = root.get();  // it is gone, and can be started
  if (q == nullptr) return std::nullopt;
  for (; q != nullptr; q = q->parent) {
    if (q->admin_acl.allows(user, groups_of_user)) return true;
  }
  return false;
}

// -- Configuration. --

std::string queue_tree::problem_with(const queue_config &c, const std::string &path, uint32_t depth,
                                     uint32_t most_levels) const {
  if (depth > most_levels) return messages::queue_too_deep(path, most_levels);
  for (const std::string *text : {&c.admin_acl, &c.submit_acl}) {
    if (!parse_acl(*text)) return messages::acl_spaces(*text);
  }
  if (const queue *q = root == nullptr ? nullptr : find_queue(path); q != nullptr) {
    const bool leaf = is_leaf(c, depth == 1);
    if (q->leaf && !leaf && !q->apps.empty()) return messages::leaf_has_applications(path);
    if (!q->leaf && leaf && has_applications(*q)) return messages::parent_has_applications(path);
  }
  for (const queue_config &child : c.queues) {
    if (std::string problem = problem_with(child, path + "." + child.name, depth + 1, most_levels); !problem.empty())
      return problem;
  }
  return {};
}

void queue_tree::configure(queue &q, const queue_config &c) {
  q.managed = true;
  changes.apply(queue_named{q});
  if (q.state == object_state::draining) changes.apply(queue_moved{q, object_event::start});
  stop_if_wished(q);
  const bool leaf_before = q.leaf;
  q.leaf = is_leaf(c, q.parent == nullptr);
  if (q.leaf != leaf_before) changes.apply(queue_turned{q});
  const resources max_before = q.max, guaranteed_before = q.guaranteed;
  q.own_properties = c.properties;
  q.guaranteed = configured_amounts(c.guaranteed);
  q.max = configured_amounts(c.max);
  changes.apply(queue_resized{q, max_before, guaranteed_before});
  q.max_applications = c.max_applications;
  q.submit_acl = *parse_acl(c.submit_acl);
  q.admin_acl = *parse_acl(c.admin_acl);
  const queue_limits limits_before = std::exchange(q.limits, queue_limits(c.limits));
  changes.apply(queue_limited{q, limits_before.all()});
  q.child_template = c.child_template;
  resolve_properties(q);
  boost::unordered_flat_set<std::string_view> named;
  for (const queue_config &child : c.queues) named.insert(child.name);
  for (const auto &child : q.children) {
    if (named.contains(child->name)) continue;
    if (child->managed || q.leaf) drain(*child, q.leaf);
  }
  for (const queue_config &child : c.queues) {
    const auto found = q.children_by_name.find(child.name);
    const bool there = found != q.children_by_name.end();
    configure(there ? *found->second : create_queue(&q, child.name, is_leaf(child, false), true), child);
  }
}

void queue_tree::drain(queue &q, bool with_dynamic) {
  changes.apply(queue_moved{q, object_event::remove});
  for (const auto &child : q.children) {
    if (child->managed || with_dynamic) drain(*child, with_dynamic);
  }
}

// Effective properties, and what the kernel reads from them.
void queue_tree::resolve_properties(queue &q) {
  const bool inherits = q.managed && q.parent != nullptr;
  q.properties = inherits ? effective_properties(q.parent->properties, q.own_properties) : q.own_properties;
  read_properties(q);
  auto &policies = q.leaf ? orders.of_applications : orders.of_queues;
  auto named = policies.find(property_of(q.properties, q.leaf ? "application.sort.policy" : "queue.sort.policy"));
  if (named == policies.end()) named = policies.find(q.leaf ? "fifo" : "fair");
  q.order = named->second.get();
}

// -- Clean-up. --

void queue_tree::clean() {
  const uint64_t version_before = marks.queues_version();
  const auto visit = [&](const auto &self, queue &q) -> void {
    const uint64_t before = marks.queues_version();
    for (size_t i = q.children.size(); i-- > 0;) {
      queue &child = *q.children[i];
      self(self, child);
      const bool goes = !child.managed || child.state == object_state::draining;
      if (goes && child.children.empty() && child.apps.empty()) retire(child);
    }
    if (marks.queues_version() != before) forget_retired(q);
  };
  visit(visit, *root);
  if (marks.queues_version() != version_before) forget_retired();
}

// Whatever would be looked for among many is left to forget_retired(): many may go at once.
void queue_tree::retire(queue &q) {
  q.gone = true;
  changes.apply(queue_retired{q});
}

void queue_tree::forget_retired(queue &q) {
  std::erase_if(q.dirty_children, [](const queue *child) { return child->gone; });
  const auto first_gone = std::stable_partition(q.children.begin(), q.children.end(),
                                                [](const std::unique_ptr<queue> &child) { return !child->gone; });
  for (auto child = first_gone; child != q.children.end(); ++child) {
    q.children_by_name.erase((*child)->name);
    gone_.push_back(std::move(*child));
  }
  q.children.erase(first_gone, q.children.end());
}

void queue_tree::forget_retired() {
  keys.forget_gone_queues();
  quotas.forget_gone_queues();
  limits.forget_gone_queues();
}

void queue_tree::count_capacity(const resources &comes, const resources &goes) {
  bool changed = false;
  const resources before = total;
  const auto count = [&](type_index t, int64_t amount) {
    if (amount == 0) return;
    const int64_t sum = total[t] + amount;
    if (sum == 0) {
      total.erase(t);
    } else {
      total.set(t, sum);
    }
    changed = true;
  };
  for_each_type(goes, [&](type_index t, int64_t amount) { count(t, -amount); });
  for_each_type(comes, [&](type_index t, int64_t amount) { count(t, amount); });
  if (!changed) return;
  changes.apply(total_counted{*root, before, total});
}

}  // namespace tenon::internal
