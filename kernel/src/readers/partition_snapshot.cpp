// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The partition as plain values.
#include <algorithm>

#include "partition.hpp"

namespace tenon::internal {
namespace {

amount_map values(const resources &r, const resource_types &types, bool zeros) {
  amount_map out;
  for_each_type(r, [&](type_index t, int64_t amount) {
    if (zeros || amount != 0) out[std::string(types.name(t))] = amount;
  });
  return out;
}

tag_snapshot copied(const tag_list &tags) { return {tags.begin(), tags.end()}; }

struct reader {
  const partition &p;
  snapshot_part parts;
  std::map<const queue *, uint64_t> running = {};  // any order: looked up, never walked

  [[nodiscard]] amount_map computed(const resources &r) const { return values(r, p.types, false); }
  [[nodiscard]] amount_map configured(const resources &r) const { return values(r, p.types, true); }

  [[nodiscard]] queue_snapshot read(const queue &q) const {
    queue_snapshot out;
    out.path = q.path;
    out.state = q.state;
    out.leaf = q.leaf;
    out.managed = q.managed;
    out.allocated = computed(q.allocated);
    out.pending = computed(q.pending);
    out.preempting = computed(q.preempting);
    out.guaranteed = configured(q.guaranteed);
    if (q.parent == nullptr) {
      if (!p.total.empty()) out.max = computed(p.total);
    } else if (!q.max.empty()) {
      out.max = configured(q.max);
    }
    out.properties = q.properties;
    if (const auto found = running.find(&q); found != running.end()) out.running_apps = found->second;
    out.max_running_apps = q.max_applications;
    out.current_priority = q.priority;
    out.headroom = headroom_of(q);
    out.child_template = q.child_template;
    for (const application *app : q.apps) {
      if (app->state == application_state::accepted) out.accepted.push_back(app->id);
    }
    return out;
  }

  // What is left below each max on the way to the root; nothing where there is none.
  [[nodiscard]] std::optional<amount_map> headroom_of(const queue &leaf) const {
    resources left;
    const auto narrow = [&](const resources &max, const resources &used) {
      for_each_type(max, [&](type_index t, int64_t amount) {
        const int64_t free = std::max<int64_t>(0, sub_saturating(amount, used[t]));
        left.set(t, left.has(t) ? std::min(left[t], free) : free);
      });
    };
    for (const queue *q = &leaf; q->parent != nullptr; q = q->parent) narrow(q->max, q->allocated);
    narrow(p.total, p.root->allocated);
    if (left.empty()) return std::nullopt;
    return configured(left);
  }

  // Applications that run, by queue on their path.
  void count_running() {
    for_each_queue(*p.root, [&](const queue &q) {
      const auto runs = [](const application *app) {
        return app->state == application_state::starting || app->state == application_state::running;
      };
      const auto count = static_cast<uint64_t>(std::count_if(q.apps.begin(), q.apps.end(), runs));
      for (const queue *at = &q; count != 0 && at != nullptr; at = at->parent) running[at] += count;
    });
  }

  [[nodiscard]] const tag_list &tags_of(const allocation &a) const {
    static const tag_list none;
    if (a.from != nullptr) return a.from->tags;
    const auto found = p.foreign_tags.find(a.key());
    return found == p.foreign_tags.end() ? none : found->second;
  }

  [[nodiscard]] allocation_snapshot read(const allocation &a) const {
    allocation_snapshot out;
    out.key = a.key();
    out.application = a.owner == nullptr ? std::string{} : a.owner->id;
    out.node = a.where->id;
    out.sequence = a.sequence;
    out.resources = computed(p.classes[a.class_id].need);
    out.priority = a.priority;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempted = a.state == allocation_state::preempting;
    out.released = a.state == allocation_state::expiring || a.state == allocation_state::replacing;
    if (a.gang != nullptr) out.task_group = a.gang->name;
    out.state = a.state;
    out.create_time_ms = a.create_time_ms;
    out.bind_time_ms = a.bind_time_ms;
    out.detail = p.detail_of(a.devices);
    out.foreign = a.foreign;
    out.preemptible = a.preempt_self;
    out.replaced = a.replaced;
    out.placeholder_created_ms = a.placeholder_created_ms;
    if (has(parts, snapshot_part::tags)) out.tags = copied(tags_of(a));
    if (const replacement *r = a.under_way != nullptr ? a.under_way : a.offered; r != nullptr) {
      out.replaced_by = r->real->key;
      out.replaced_on = r->where->id;
      out.proposed_as = r->number;
    }
    return out;
  }

  [[nodiscard]] ask_snapshot read(const ask &a) const {
    const ask_class &c = p.classes[a.class_id];
    ask_snapshot out;
    out.key = a.key;
    out.resources = computed(c.need);
    out.priority = a.priority;
    out.pending_count = a.pending();
    out.max_allocations = a.max_allocations;
    out.placeholder = a.placeholder;
    if (a.gang != nullptr) out.task_group = a.gang->name;
    out.required_node = c.required_node;
    out.create_time_ms = a.create_time_ms;
    out.state = a.state;
    out.blocker = p.blocker_of(a);
    out.originator = a.originator;
    out.preempts = a.wait != nullptr && !a.wait->victims.empty();
    out.scales_up = a.told == container_word::failed;
    if (has(parts, snapshot_part::tags)) out.tags = copied(a.tags);
    return out;
  }

  [[nodiscard]] application_snapshot read(const application &app) const {
    application_snapshot out;
    out.id = app.id;
    out.queue = app.home != nullptr ? app.home->path : app.submitted_queue;
    out.user = app.user;
    out.groups = app.groups;
    out.state = app.state;
    out.state_log = app.state_log;
    out.allocated = computed(app.allocated);
    out.placeholders = computed(app.placeholders);
    out.pending = computed(app.pending);
    out.most_allocated = computed(app.past.most);
    for (const past_use::ended &one : app.past.by_end) {
      out.past_use.push_back({one.what, one.instance_type, computed(one.amount_seconds)});
    }
    if (has(parts, snapshot_part::asks)) {
      std::vector<const ask *> pending;
      for (const auto &[key, a] : app.asks) {  // any order: sorted next
        if (a->state == ask_state::pending) pending.push_back(a);
      }
      std::sort(pending.begin(), pending.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
      for (const ask *a : pending) out.asks.push_back(read(*a));
    }
    if (has(parts, snapshot_part::allocations)) {
      out.allocations.reserve(app.allocations.size());
      for (const allocation *a : partition::by_sequence(app.allocations)) out.allocations.push_back(read(*a));
    }
    for (const reservation *r : app.reservations) {
      out.reservations.push_back(r->where->id);
      out.reserved_for.push_back(r->of->key);
    }
    for (const auto &[group, g] : app.task_groups) {
      const int64_t count = g.replaced + g.timed_out + g.pending + g.held;
      if (count == 0) continue;
      out.placeholder_data.push_back({group, count, g.replaced, g.timed_out, {}});
      if (g.first_class != no_class) out.placeholder_data.back().size = computed(p.classes[g.first_class].need);
    }
    out.message = app.message;
    out.submitted_ms = app.submitted_ms;
    out.started_ms = app.started_ms;
    out.finished_ms = app.finished_ms;
    out.not_before_ms = app.left_out_until_ms();
    out.priority = app.priority;
    out.placeholder_ask = configured(app.placeholder_ask);
    if (has(parts, snapshot_part::tags)) out.tags = copied(app.tags);
    return out;
  }

  [[nodiscard]] node_snapshot read(const node &n) const {
    node_snapshot out;
    out.id = n.id;
    out.schedulable = n.schedulable();
    out.capacity = computed(n.capacity);
    out.allocated = computed(n.allocated);
    out.occupied = computed(n.occupied);
    resources available = n.capacity;
    available -= n.occupied;
    available -= n.allocated;
    out.available = computed(available);
    for (const device_group &group : p.nodes.devices().of(n.slot)) out.devices[group.type_name] = group.free;
    out.attributes.insert(n.attributes.begin(), n.attributes.end());
    if (has(parts, snapshot_part::allocations)) {
      for (const allocation *a : n.foreign) out.foreign.push_back(read(*a));
      std::sort(out.foreign.begin(), out.foreign.end(), [](const auto &x, const auto &y) { return x.key < y.key; });
    }
    for (const reservation *r : n.reservations) out.reservations.push_back(r->of->owner->id + "/" + r->of->key);
    if (!has(parts, snapshot_part::contents)) return out;
    out.allocations.reserve(n.allocations.size() + n.coming.size());
    for (const allocation *a : partition::by_sequence(n.allocations)) {
      out.allocations.push_back(a->owner->id + "/" + a->key() + "#" + std::to_string(a->sequence));
    }
    std::map<uint64_t, const replacement *> coming;  // by sequence of what they replace
    for (const replacement *r : n.coming) coming.emplace(r->placeholder->sequence, r);
    for (const auto &[sequence, r] : coming) out.allocations.push_back(r->real->owner->id + "/" + r->real->key + "#0");
    return out;
  }

  void read(const std::map<std::string, usage_tracker, std::less<>> &trackers, std::vector<usage_snapshot> &out) const {
    for (const auto &[tracked, tracker] : trackers) {
      std::vector<const usage_node *> in_order;
      for (const auto &[q, u] : tracker.nodes) in_order.push_back(u.get());
      std::sort(in_order.begin(), in_order.end(),
                [](const auto *x, const auto *y) { return x->where->path < y->where->path; });
      for (const usage_node *u : in_order) {
        usage_snapshot one{tracked, u->where->path, computed(u->usage), {}, {}, u->max_applications};
        if (!u->max.empty()) one.max = configured(u->max);
        for (const application *app : *u->running) one.running.push_back(app->id);
        std::sort(one.running.begin(), one.running.end());
        if (!one.usage.empty() || !one.running.empty()) out.push_back(std::move(one));
      }
    }
  }
};

}  // namespace

amount_map partition::configured_values(const resources &r) const { return values(r, types, true); }

partition_snapshot partition::head() const {
  partition_snapshot out;
  out.name = name;
  out.rm = rm;
  out.plain_name = plain_name;
  out.node_count = nodes.by_id().size();
  out.since_ms = since_ms;
  out.preemption = config.preemption_enabled;
  out.quota_preemption = config.quota_preemption_enabled;
  out.weights = config.node_sort.resource_weights;
  out.state = state;
  out.node_sort_policy = sorting.policy->bound->name;
  out.capacity = values(total, types, false);
  out.used = values(root->allocated, types, false);
  out.allocations = allocation_count;
  return out;
}

partition_snapshot partition::snapshot(snapshot_part parts) const {
  reader r{*this, parts};
  partition_snapshot out = head();
  for (const auto &[app_id, app] : active) ++out.application_states[app->state];  // any order: a sum
  for (const application *app : ended) ++out.application_states[app->state];
  if (has(parts, snapshot_part::queues)) {
    r.count_running();
    for_each_queue(*root, [&](const queue &q) { out.queues.push_back(r.read(q)); });
  }
  if (has(parts, snapshot_part::nodes)) {
    out.nodes.reserve(nodes.by_id().size());
    for (const auto &[node_id, n] : nodes.by_id()) out.nodes.push_back(r.read(*n));
  }
  if (has(parts, snapshot_part::applications)) {
    out.applications.reserve(active.size());
    for (const application *app : by_submission()) out.applications.push_back(r.read(*app));
  }
  if (has(parts, snapshot_part::ended)) {
    for (const application *app : ended) out.ended.push_back(r.read(*app));
  }
  if (has(parts, snapshot_part::users)) r.read(limits.users(), out.users);
  if (has(parts, snapshot_part::groups)) r.read(limits.groups(), out.groups);
  return out;
}

// What an ask waits for, in words; empty when it is runnable.
std::string partition::blocker_of(const ask &a) const {
  if (a.line == ask_line::aside) return words_where_refused();
  if (a.line == ask_line::reserved) return words_where_reserved(a.wait->held->where->id);
  if (a.line == ask_line::placeholders) return words_where_placeholders(a.gang->name);
  if (a.group == nullptr) return {};
  const group_wait wait = wait_of(*a.group);
  if (wait.where == nullptr) return words_of(wait.what, {}, {}, {});
  return words_of(wait.what, wait.type == no_type ? std::string_view{} : types.name(wait.type), wait.where->path,
                  wait.where->order == nullptr ? std::string_view{} : wait.where->order->bound->name);
}

}  // namespace tenon::internal
