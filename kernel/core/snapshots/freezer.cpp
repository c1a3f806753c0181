// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/freezer.hpp"

#include <algorithm>

#include "model/gang_start.hpp"
#include "model/queue_properties.hpp"
#include "policies/bound_sort_policy.hpp"

namespace tenon::internal {
namespace {

// Blocks of the parts, and those that they point to. Applications are counted in any case.
struct wanted_blocks {
  bool allocations, asks, nodes;

  explicit wanted_blocks(snapshot_part parts)
      : allocations(has(parts, snapshot_part::allocations | snapshot_part::contents)),
        asks(allocations || has(parts, snapshot_part::asks)),
        nodes(asks || has(parts, snapshot_part::nodes)) {}
};

std::string name_of_ask(const ask &a) { return (a.owner->id + "/").append(a.key.view()); }

frozen_tracker block_of(const usage_tracker &tracker) {
  frozen_tracker out;
  out.name = tracker.name;
  for (const auto &[q, u] : tracker.nodes) {  // any order: sorted next
    if (u->usage->empty() && u->running->empty()) continue;
    frozen_tracker::usage &one = out.queues.emplace_back();
    one.queue = q->path;
    one.used = u->usage;
    one.max = u->max;
    one.max_applications = u->max_applications;
    for (const application *app : *u->running) one.running.push_back(app->index);
  }
  std::sort(out.queues.begin(), out.queues.end(), [](const auto &x, const auto &y) { return x.queue < y.queue; });
  return out;
}

// What the asks that stand in the group's line wait for.
group_wait wait_of(const app_class &g) {
  const application &app = *g.owner;
  const auto in = [](blocker what, const queue &q, type_index type = no_type) { return group_wait{what, type, &q}; };
  for (const queue *q = app.home; q != nullptr; q = q->parent) {
    if (q->state == object_state::stopped) return in(blocker::stopped_queue, *q);
  }
  if (g.line != nullptr && g.line->state == line_state::closed) {
    const reached_limit &limit = g.line->closed_by;
    if (limit.in != nullptr) return in(blocker::application_count, *limit.in);
    const bool counts = limit.type == no_type;
    return in(counts ? blocker::limited_application_count : blocker::limit, *limit.of->where, limit.type);
  }
  const auto by = [](blocker what, const queue &q, const sort_key &key) {
    return group_wait{what, no_type, &q, key.not_before_ms == TENON_NOT_NOW};
  };
  if (app.key.held_back()) return by(blocker::application_order, *app.home, app.key);
  if (g.parked_on_nodes) return {blocker::nodes, no_type, nullptr};
  const leaf_class &u = *g.unit;
  if (u.parked == parking::queue_headroom) return in(blocker::headroom, *u.parked_queue, u.parked_type);
  if (u.parked != parking::none) return {blocker::nodes, no_type, nullptr};
  for (const queue *q = app.home; q->parent != nullptr; q = q->parent) {
    if (q->key.held_back()) return by(blocker::queue_order, *q->parent, q->key);
  }
  return {};
}

// Of trackers that changed anew.
void freeze_usage(const usage_trackers &trackers, std::vector<std::shared_ptr<const frozen_tracker>> &out) {
  for (const auto &[tracked, tracker] : trackers) {
    if (tracker.touched || tracker.frozen == nullptr) {
      tracker.frozen = std::make_shared<frozen_tracker>(block_of(tracker));
      tracker.touched = false;
    }
    out.push_back(tracker.frozen);
  }
}

}  // namespace

// -- One block each. --

void freezer::make_block(uint32_t at, uint8_t how, frozen_ask &out) {
  const ask &a = asks[at];
  if (!a.live) {
    out.drop(frozen_->past);
    out = {};
    return;
  }
  if ((how & block_changed) != 0 || out.fixed == nullptr) {
    auto terms = std::make_unique<frozen_ask::terms>();
    terms->key = a.key;
    if (a.gang != nullptr) terms->task_group = a.gang->name;
    terms->tags = a.tags();
    frozen_->past.replace(out.fixed, std::move(terms));
  }
  out.arrival = a.arrival;
  out.create_time_ms = a.create_time_ms;
  out.application = a.owner->index;
  out.class_id = a.class_id;
  out.group = a.line == ask_line::run ? a.group->index : none_there;
  out.reserved = a.wait != nullptr && a.wait->held != nullptr ? a.wait->held->where->slot : none_there;
  out.priority = a.priority;
  out.pending = a.pending();
  out.max_allocations = a.max_allocations;
  out.state = a.state;
  out.line = a.line;
  out.placeholder = a.placeholder;
  out.waits_for_gang = a.placeholder && a.line == ask_line::refused && begins_whole(*a.owner);
  out.originator = a.originator;
  out.preempts = a.wait != nullptr && !a.wait->victims->empty();
  out.scales_up = a.told() == container_word::failed;
}

void freezer::make_block(uint32_t at, uint8_t, frozen_allocation &out) {
  const allocation &a = allocations[at];
  out.drop(frozen_->past);
  out = {};
  if (!a.live) return;
  out.sequence = a.sequence;
  out.create_time_ms = a.create_time_ms;
  out.bind_time_ms = a.bind_time_ms;
  if (a.owner != nullptr) out.application = a.owner->index;
  if (a.from != nullptr) out.ask = a.from->index;
  out.node = a.where->slot;
  out.class_id = a.class_id;
  out.priority = a.priority;
  out.state = a.state;
  out.placeholder = a.placeholder;
  out.originator = a.originator;
  out.preemptible = a.preempt_self;
  out.replaced = a.replaced;
  const replacement *r = a.under_way != nullptr ? a.under_way : a.offered;
  if (!a.foreign && a.gang == nullptr && a.devices == no_record && r == nullptr) return;
  auto more = std::make_unique<frozen_allocation::rare>();
  if (a.foreign) {
    more->foreign_key = a.key();
    if (const auto found = foreign_tags.find(a.key()); found != foreign_tags.end()) more->tags = found->second;
  }
  more->placeholder_created_ms = a.placeholder_created_ms;
  if (a.gang != nullptr) more->task_group = a.gang->name;
  more->detail = held_devices_of.text_of(a.devices);
  if (r != nullptr) {
    more->replaced_by = r->real->key;
    more->replaced_on = r->where->id;
    more->proposed_as = r->number;
  }
  frozen_->past.replace(out.more, std::move(more));
}

void freezer::make_block(uint32_t at, uint8_t how, frozen_node &out) {
  frozen_past &past = frozen_->past;
  const node *n = at < nodes.slots() ? nodes.at(at) : nullptr;
  if (n == nullptr) {
    out.drop(past);
    out = {};
    return;
  }
  if ((how & block_changed) != 0 || out.fixed == nullptr) {
    auto fixed = std::make_unique<frozen_node::facts>();
    fixed->id = n->id;
    fixed->attributes.insert(n->attributes.begin(), n->attributes.end());
    fixed->capacity = n->capacity;
    past.replace(out.fixed, std::move(fixed));
  }
  past.replace(out.has, std::make_unique<frozen_node::amounts>(frozen_node::amounts{n->allocated, n->occupied}));
  out.schedulable = n->schedulable();
  past.drop(out.more);
  if (!n->divided && n->reservations->empty() && n->coming->empty()) return;
  auto more = std::make_unique<frozen_node::rare>();
  for (const device_group &group : nodes.devices().of(n->slot)) more->devices[group.type_name] = group.free;
  for (const reservation *r : n->reservations) more->reservations.push_back(name_of_ask(*r->of));
  for (const replacement *r : n->coming) {
    more->coming.emplace_back(r->placeholder->sequence, name_of_ask(*r->real));
  }
  std::sort(more->coming.begin(), more->coming.end());
  past.replace(out.more, std::move(more));
}

void freezer::make_block(uint32_t at, uint8_t how, frozen_application &out) {
  frozen_past &past = frozen_->past;
  const application &app = applications[at];
  if (!app.live) {
    out.drop(past);
    out = {};
    return;
  }
  if ((how & block_changed) != 0 || out.fixed == nullptr) {
    auto fixed = std::make_unique<frozen_application::facts>();
    fixed->id = app.id;
    fixed->queue = app.home != nullptr ? app.home->path : app.submitted_queue;
    fixed->user = app.user;
    fixed->message = app.message;
    fixed->groups = app.groups;
    for (const reservation *r : app.reservations) {
      fixed->reservations.push_back(r->where->id);
      fixed->reserved_for.emplace_back(r->of->key);
    }
    fixed->state_log = app.state_log;
    for (const auto &[group, g] : app.task_groups) {
      const int64_t count = g.replaced + g.timed_out + g.pending + g.held;
      if (count == 0) continue;
      fixed->task_groups.push_back({group, count, g.replaced, g.timed_out, {}});
      fixed->sizes.push_back(g.first_class == no_class ? resources{} : classes[g.first_class].need);
    }
    fixed->placeholder_ask = app.placeholder_ask;
    fixed->tags = app.tags;
    past.replace(out.fixed, std::move(fixed));
  }
  past.replace(out.has, std::make_unique<frozen_application::amounts>(
                            frozen_application::amounts{app.allocated, app.placeholders, app.pending, app.past}));
  out.submission = app.submission;
  out.ended = app.ended;
  out.submitted_ms = app.submitted_ms;
  out.started_ms = app.started_ms;
  out.finished_ms = app.finished_ms;
  out.not_before_ms = app.left_out_until_ms();
  out.priority = app.priority;
  out.state = app.state;
}

void freezer::make_block(uint32_t at, uint8_t, frozen_class &out) {
  const ask_class &c = classes[at];
  frozen_->past.replace(out.fixed, std::make_unique<frozen_class::facts>(frozen_class::facts{c.need, c.required_node}));
}

// -- What is made at once. --

void freezer::freeze_queues() {
  frozen_columns &in = *frozen_;
  std::vector<frozen_queue> before;
  before.swap(in.queues);
  const bool same = in.queues_version == marks.queues_version();
  in.queues_version = marks.queues_version();
  uint32_t next = 0;
  for_each_queue(*root, [&](const queue &q) {
    q.frozen = next;
    frozen_queue &out = in.queues.emplace_back();
    if (same && next < before.size()) {
      out.fixed = std::move(before[next].fixed);
    } else {
      auto fixed = std::make_shared<frozen_queue::facts>();
      fixed->path = q.path;
      fixed->leaf = q.leaf;
      fixed->managed = q.managed;
      fixed->guaranteed = q.guaranteed;
      fixed->max = q.max;
      fixed->properties = q.properties;
      fixed->max_applications = q.max_applications;
      fixed->child_template = q.nearest_template();
      out.fixed = std::move(fixed);
    }
    out.state = q.state;
    out.allocated = q.allocated;
    out.pending = q.pending;
    out.preempting = q.preempting;
    out.priority = q.priority;
    if (q.order != nullptr) out.order = q.order->bound->name;
    if (q.parent != nullptr) out.parent = q.parent->frozen;
    ++next;
  });
}

void freezer::freeze_waits(std::vector<frozen_wait> &out) const {
  out.resize(app_classes.extent());
  for (uint32_t at = 0; at < app_classes.extent(); ++at) {
    const app_class &g = app_classes[at];
    if (!g.live || g.empty()) continue;
    const group_wait wait = wait_of(g);
    out[at] = {wait.what, wait.type, wait.where == nullptr ? none_there : wait.where->frozen, wait.for_good};
  }
}

// -- Asked for. --

void freezer::start() {
  if (frozen_ == nullptr) {
    frozen_ = std::make_shared<frozen_columns>();
    marks.start();
    for (uint32_t at = applications.extent(); at-- > 0;) marks.applications.touch(at, block_changed);
    for (uint32_t at = asks.extent(); at-- > 0;) marks.asks.touch(at, block_changed);
    for (uint32_t at = allocations.extent(); at-- > 0;) marks.allocations.touch(at, block_changed);
    for (uint32_t at = nodes.slots(); at-- > 0;) marks.nodes.touch(at, block_changed);
  }
  uint32_t &known = frozen_->classes_known;
  while (known < classes.count()) marks.classes.touch(known++, block_changed);
  frozen_->asked_ms = shared.now_ms;
}

size_t freezer::freeze_some(snapshot_part parts, size_t most) {
  start();
  frozen_columns &in = *frozen_;
  const wanted_blocks wanted(parts);
  size_t made = 0, left = 0;
  in.past.collect();
  const auto refresh = [&](auto &column, stale_objects &stale, bool asked_for) {
    if (!asked_for) return;
    if (made < most) {
      made += column.refresh(stale, most - made,
                             [&](uint32_t at, uint8_t how, auto &block) { make_block(at, how, block); });
    }
    left += stale.count();
  };
  refresh(in.classes, marks.classes, wanted.asks);
  refresh(in.applications, marks.applications, true);
  refresh(in.nodes, marks.nodes, wanted.nodes);
  refresh(in.asks, marks.asks, wanted.asks);
  refresh(in.allocations, marks.allocations, wanted.allocations);
  shared.counters.blocks_made += made;
  return left;
}

void freezer::freeze(snapshot_part parts, partition_snapshot head, frozen_partition &out) {
  freeze_some(parts, SIZE_MAX);
  frozen_columns &in = *frozen_;
  const wanted_blocks wanted(parts);
  out.parts = parts;
  out.head = std::move(head);
  out.total = total;
  for_each_type(total, [&](type_index t, int64_t) { out.free_together.set(t, nodes.free_together(t)); });
  if (std::exchange(in.types_version, types.version()) != types.version()) {
    auto names = std::make_shared<std::vector<std::string>>();
    for (type_index t = 0; t < types.count(); ++t) names->emplace_back(types.name(t));
    in.types = std::move(names);
  }
  out.types = in.types;
  freeze_queues();
  out.queues = in.queues;
  if (has(parts, snapshot_part::asks)) freeze_waits(out.waits);
  out.applications = in.applications.now();
  if (wanted.nodes) out.nodes = in.nodes.now();
  if (wanted.asks) {
    out.classes = in.classes.now();
    out.asks = in.asks.now();
  }
  if (wanted.allocations) out.allocations = in.allocations.now();
  out.of = frozen_;
  out.reading = in.past.publish();
  if (has(parts, snapshot_part::users)) freeze_usage(users, out.users);
  if (has(parts, snapshot_part::groups)) freeze_usage(groups, out.groups);
}

void freezer::forget() {
  if (frozen_ == nullptr) return;
  unread_ = std::move(frozen_);
  marks.stop();
  for (const usage_trackers *all : {&users, &groups}) {
    for (const auto &[tracked, tracker] : *all) tracker.frozen = nullptr;
  }
}

void freezer::drop_old() {
  if (frozen_ != nullptr && sub_saturating(shared.now_ms, frozen_->asked_ms) > frozen_kept_ms) forget();
  if (unread_ != nullptr && !unread_->drop_some()) unread_ = nullptr;
}

}  // namespace tenon::internal
