// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "rules/placement.hpp"

#include <algorithm>
#include <charconv>

#include "base/path.hpp"
#include "base/tags.hpp"
#include "core.hpp"
#include "policies/prepared_words.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/journaled_rules.hpp"
#include "rules/lifecycles.hpp"
#include "rules/quotas.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

constexpr std::string_view recovery_path = "root.@recovery@";

uint32_t abi_state(object_state state) {
  switch (state) {
    case object_state::active:
      return TENON_QUEUE_ACTIVE;
    case object_state::draining:
      return TENON_QUEUE_DRAINING;
    case object_state::stopped:
      break;
  }
  return TENON_QUEUE_STOPPED;
}

// The queues of a partition as rules look them up.
struct abi_tree : tenon_queue_tree {
  explicit abi_tree(const queue_lifecycle &all) : tenon_queue_tree{sizeof(tenon_queue_tree), 0, look_up}, of(all) {}
  const queue_lifecycle &of;

  static tenon_status look_up(const tenon_queue_tree *self, const tenon_find_queue_in *in, tenon_find_queue_out *out) {
    if (!TENON_COVERS(in, tenon_find_queue_in, world) || !TENON_COVERS(out, tenon_find_queue_out, state) ||
        in->world != TENON_WORLD_LIVE) {
      return TENON_UNSUPPORTED;
    }
    const std::string path = in->path.length == 0 ? "" : lower_case({in->path.data, in->path.length});
    const queue *q = static_cast<const abi_tree *>(self)->of.find_queue(path);
    out->exists = q != nullptr ? 1 : 0;
    out->leaf = q != nullptr && q->leaf ? 1 : 0;
    out->state = q != nullptr ? abi_state(q->state) : 0;
    return TENON_OK;
  }
};

// The last parts of the names of the queues below, for refusals.
std::vector<std::string_view> names_below(const queue &above) {
  constexpr size_t most_looked_at = 100;
  std::vector<std::string_view> out;
  for (const auto &child : above.children) {
    if (out.size() == most_looked_at) break;
    if (child->path != recovery_path) out.push_back(std::string_view(child->path).substr(above.path.size() + 1));
  }
  return out;
}

}  // namespace

// The path that the rule gives; empty when it gives none, with a problem when it refuses.
std::string placement::path_by(const placement_rule &rule, placement_request &request, std::string &problem) const {
  if (!rule.filter.accepts(request.application().user, request.application().groups)) return {};
  placement_request::answer said = journaled_rules(shared).ask(rule, request);
  problem = std::move(said.refused);
  if (!problem.empty() || said.name.empty()) return {};
  std::string path = std::move(said.name);
  if (!said.qualified) {
    std::string above(root_queue_name);
    if (rule.parent != nullptr) {
      above = path_by(*rule.parent, request, problem);
      if (above.empty()) return {};
      if (const queue *q = queues.find_queue(above); q != nullptr && q->leaf) {
        problem = messages::parent_rule_gave_leaf(above);
        return {};
      }
    }
    path = above + "." + path;
  }
  path = lower_case(path);
  if (!rule.create && queues.find_queue(path) == nullptr) return {};
  return path;
}

bool placement::may_submit(const queue &to, std::string_view user, names groups) {
  if (to.path == recovery_path) return false;
  for (const queue *q = &to; q != nullptr; q = q->parent) {
    if (q->submit_acl.allows(user, groups) || q->admin_acl.allows(user, groups)) return true;
  }
  return false;
}

queue *placement::nearest_queue(const queue_lifecycle &queues, std::string_view path) {
  for (;;) {
    if (queue *q = queues.find_queue(path); q != nullptr) return q;
    const size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    path = path.substr(0, dot);
  }
}

bool placement::takes(std::string_view path, const tenon::add_application &c) const {
  if (const queue *q = queues.find_queue(path); q != nullptr) {
    return q->leaf && q->state == object_state::active && may_submit(*q, c.user, c.groups);
  }
  const queue *above = nearest_queue(queues, path);
  return above != nullptr && !stops.queues.contains(path) && may_submit(*above, c.user, c.groups);
}

std::string placement::find_place(const tenon::add_application &c, place &out) const {
  const abi_tree tree(queues);
  placement_request request(c, tree, shared.now_ms);
  for (const auto &rule : rules_) {
    std::string problem;
    std::string candidate = path_by(*rule, request, problem);
    if (!problem.empty()) return problem;
    if (!candidate.empty() && takes(candidate, c)) {
      out.path = std::move(candidate);
      break;
    }
  }
  if (out.path.empty() && tag_is_true(c.tags, "application.create.force")) {
    out.path = recovery_path;
    out.recovery = true;
  }
  const bool has_default = out.path.empty() && queues.find_queue("root.default") != nullptr;
  if (has_default && takes("root.default", c)) out.path = "root.default";
  if (out.path.empty()) return messages::no_rule_matched(against_named(c));
  out.leaf = queues.find_queue(out.path);
  if (out.leaf != nullptr) return {};
  out.above = nearest_queue(queues, out.path);
  return problem_of_making(out);
}

std::string placement::refusal_of_parent(const queue &parent) {
  return messages::queue_is_parent(parent.path, names_below(parent));
}

std::string placement::refusal_of_missing(const queue_lifecycle &queues, std::string_view path) {
  const queue *above = nearest_queue(queues, path);
  if (above == nullptr) above = queues.find_queue(root_queue_name);
  return messages::queue_missing(path, above->path, above->leaf, names_below(*above));
}

std::string placement::against_named(const tenon::add_application &c) const {
  if (c.queue.empty()) return messages::queue_not_named(names_below(*queues.find_queue(root_queue_name)));
  std::string path = lower_case(c.queue);
  if (!is_qualified(path)) {
    if (path.find('.') != std::string::npos) return messages::queue_not_in_full(path);
    path = std::string(root_queue_name) + "." + path;
  }
  const queue *q = queues.find_queue(path);
  if (q == nullptr) return refusal_of_missing(queues, path);
  if (!q->leaf) return refusal_of_parent(*q);
  if (q->state != object_state::active) {
    return messages::queue_inactive(path, q->state.name(), q->state == object_state::stopped);
  }
  const bool may = may_submit(*q, c.user, c.groups);
  return may ? messages::queue_not_looked_at(path) : messages::submit_denied(c.user, path);
}

std::string placement::problem_of_making(const place &where) const {
  const auto &[leaf, above, path, recovery] = where;
  const bool through = path == recovery_path || path.starts_with(std::string(recovery_path) + ".");
  if (through && !recovery && above->path != recovery_path) return messages::queue_is_recovery();
  if (above->leaf) return messages::queue_create_below_leaf(path, above->path);
  if (above->state == object_state::draining) return messages::queue_create_below_draining(above->path);
  const bool too_deep = split_path(path).size() > shared.options.max_queue_depth;
  return too_deep ? messages::queue_too_deep(path, shared.options.max_queue_depth) : std::string{};
}

queue &placement::make(const place &where, texts tags) {
  queue &leaf = where.leaf != nullptr ? *where.leaf : make_path(where);
  if (!leaf.managed && leaf.path != recovery_path) apply_namespace_tags(leaf, tags);
  return leaf;
}

queue &placement::make_path(const place &where) {
  queue *q = where.above;
  const auto missing = split_path(std::string_view(where.path).substr(q->path.size() + 1));
  for (size_t i = 0; i < missing.size(); ++i) {
    const bool leaf = i + 1 == missing.size();
    queue &made = queues.create_queue(q, missing[i], leaf, false);
    if (leaf && !where.recovery) apply_template(made);
    queues.resolve_properties(made);
    shared.counters.policy_faults += prepare_queue(made);
    changes.apply(queue_prepared{made});
    q = &made;
  }
  return *q;
}

void placement::apply_template(queue &leaf) {
  const child_template_config &t = leaf.parent->nearest_template();
  leaf.max_applications = t.max_applications;
  leaf.own_properties = t.properties;
  leaf.guaranteed = queues.configured_amounts(t.guaranteed);
  leaf.max = queues.configured_amounts(t.max);
  changes.apply(queue_resized{leaf, {}, {}});
}

void placement::apply_namespace_tags(queue &leaf, texts tags) {
  const auto taken = [&](std::string_view tag) -> std::optional<resources> {
    const auto amounts = amounts_in_tag(find_tag(tags, tag));
    return amounts && queues.knows_types_of(*amounts) ? std::optional(queues.configured_amounts(*amounts))
                                                      : std::nullopt;
  };
  const resources guaranteed_before = leaf.guaranteed, max_before = leaf.max;
  const std::optional<resources> max = taken("namespace.resourcequota"),
                                 guaranteed = taken("namespace.resourceguaranteed");
  bool changed = max || guaranteed;
  if (changed) {  // a pair: what only an older application said is not so any more
    const child_template_config &t = leaf.parent->nearest_template();
    leaf.max = max ? *max : queues.configured_amounts(t.max);
    leaf.guaranteed = guaranteed ? *guaranteed : queues.configured_amounts(t.guaranteed);
    quotas.look_at_path(leaf);
  }
  const std::string_view apps = find_tag(tags, "namespace.resourcemaxapps");
  uint64_t max_apps = 0;
  const auto [end, error] = std::from_chars(apps.data(), apps.data() + apps.size(), max_apps);
  if (error == std::errc{} && end == apps.data() + apps.size() && max_apps > 0) {
    leaf.max_applications = max_apps;
    changed = true;
  }
  if (!changed) return;
  changes.apply(queue_resized{leaf, max_before, guaranteed_before});
}

}  // namespace tenon::internal
