// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Placement of applications, and the queues that come of it.
#include <algorithm>
#include <cctype>

#include "partition.hpp"
#include "rules.hpp"
#include "tag_amounts.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::naive {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string tag_of(const tag_map &tags, std::string_view key) {
  const std::string wanted = lower(std::string(key));
  for (const auto &[name, value] : tags) {
    if (lower(name) == wanted) return value;
  }
  return {};
}

bool is_true(const std::string &text) {
  const std::vector<std::string> yes{"1", "t", "T", "true", "True", "TRUE"};
  return std::find(yes.begin(), yes.end(), text) != yes.end();
}

bool partition::may_submit(const application &a, const std::string &path) const {
  if (path == recovery_queue) return false;
  for (const std::string &at : path_down(path)) {
    const queue *q = find_queue(at);
    if (q->submit.allows(a.user, a.groups) || q->admin.allows(a.user, a.groups)) return true;
  }
  return false;
}

namespace {

const std::string &nearest_existing(const partition &p, const std::vector<std::string> &down) {
  const std::string *at = &down.front();
  for (const std::string &path : down) {
    if (p.find_queue(path) == nullptr) break;
    at = &path;
  }
  return *at;
}

// The path is taken as it is, or may be made.
bool takes(const partition &p, const application &a, const std::string &path) {
  const queue *q = p.find_queue(path);
  const bool stopped = p.shared.stopped[p.name].queues.contains(path);
  if (q == nullptr) return !stopped && p.may_submit(a, nearest_existing(p, path_down(path)));
  return q->leaf && q->state == object_state::active && p.may_submit(a, path);
}

// The last parts of the names of the queues below.
std::vector<std::string_view> names_below(const partition &p, const std::string &above) {
  constexpr size_t most = 100;
  std::vector<std::string_view> out;
  for (const queue *child : p.children_of(above)) {
    if (child->path == recovery_queue || out.size() == most) continue;
    out.push_back(std::string_view(child->path).substr(above.size() + 1));
  }
  return out;
}

// What speaks against the queue that the application names.
std::string against_named(const partition &p, const application &a) {
  if (a.queue.empty()) return messages::queue_not_named(names_below(p, "root"));
  std::string named = lower(a.queue);
  if (named != "root" && !named.starts_with("root.")) {
    if (named.find('.') != std::string::npos) return messages::queue_not_in_full(named);
    named = "root." + named;
  }
  const queue *q = p.find_queue(named);
  if (q == nullptr) {
    const std::vector<std::string> down = path_down(named);
    const std::string &above = nearest_existing(p, down);
    return messages::queue_missing(named, above, p.find_queue(above)->leaf, names_below(p, above));
  }
  if (!q->leaf) return messages::queue_is_parent(named, names_below(p, named));
  if (q->state != object_state::active) {
    return messages::queue_inactive(named, tenon::name(q->state), q->state == object_state::stopped);
  }
  return p.may_submit(a, named) ? messages::queue_not_looked_at(named) : messages::submit_denied(a.user, named);
}

}  // namespace

std::string partition::place(application &a) {
  const queue_lookup find = [this](const std::string &path) { return find_queue(path); };
  std::vector<placement_rule_config> rules = config.placement_rules;
  if (rules.empty()) {
    rules.emplace_back();
    rules.back().name = "provided";
  }
  std::string chosen;
  for (const placement_rule_config &rule : rules) {
    const placement said = place_by(rule, a, find);
    if (!said.error.empty()) return said.error;
    if (said.path.empty() || !takes(*this, a, lower(said.path))) continue;
    chosen = lower(said.path);
    break;
  }
  const bool by_force = chosen.empty() && is_true(tag_of(a.tags, "application.create.force"));
  if (by_force) chosen = recovery_queue;
  if (chosen.empty() && find_queue("root.default") != nullptr && takes(*this, a, "root.default"))
    chosen = "root.default";
  if (chosen.empty()) return messages::no_rule_matched(against_named(*this, a));
  if (find_queue(chosen) == nullptr) {
    if (std::string why = create_queue(chosen, by_force); !why.empty()) return why;
  }
  a.queue = chosen;
  apply_namespace_tags(a, queues[chosen]);
  look_at_quotas_on(chosen);
  return {};
}

std::string partition::create_queue(const std::string &path, bool forced) {
  const std::vector<std::string> down = path_down(path);
  const queue &above = queues[nearest_existing(*this, down)];
  const bool through = std::find(down.begin(), down.end(), recovery_queue) != down.end();
  if (through && !forced && find_queue(std::string(recovery_queue)) == nullptr) {
    return messages::queue_is_recovery();
  }
  if (above.leaf) return messages::queue_create_below_leaf(path, above.path);
  if (above.state == object_state::draining) return messages::queue_create_below_draining(above.path);
  if (down.size() > shared.options.max_queue_depth)
    return messages::queue_too_deep(path, shared.options.max_queue_depth);
  const child_template_config like = template_of(above.path);
  for (const std::string &at : down) {
    if (find_queue(at) != nullptr) continue;
    queue &q = queues[at];
    q.path = at;
    q.creation = next_queue++;
    q.managed = false;
    q.leaf = at == path;
    if (shared.stopped[name].queues.contains(at)) q.state = object_state::stopped;
    if (!q.leaf || at == recovery_queue) continue;
    q.max_applications = like.max_applications;
    q.properties = like.properties;
    if (any_positive(like.guaranteed)) q.guaranteed = like.guaranteed;
    if (any_positive(like.max)) q.max = like.max;
  }
  return {};
}

void partition::apply_namespace_tags(const application &a, queue &leaf) {
  if (leaf.managed || leaf.path == recovery_queue) return;
  const auto said = [&](const char *tag) -> std::optional<amount_map> {
    auto amounts = tag_amounts(tag_of(a.tags, tag));
    std::vector<std::string> said_types;
    for (const auto &[type, amount] : amounts.value_or(amount_map())) said_types.push_back(type);
    return intern(said_types).empty() ? amounts : std::nullopt;
  };
  const auto max = said("namespace.resourcequota");
  const auto guaranteed = said("namespace.resourceguaranteed");
  if (max || guaranteed) {  // a pair: what one of them no longer says is the template's again
    const child_template_config like = template_of(leaf.path);
    leaf.max = max.value_or(any_positive(like.max) ? like.max : amount_map());
    leaf.guaranteed = guaranteed.value_or(any_positive(like.guaranteed) ? like.guaranteed : amount_map());
  }
  if (const auto count = tag_count(tag_of(a.tags, "namespace.resourcemaxapps"))) leaf.max_applications = *count;
}

}  // namespace tenon::naive
