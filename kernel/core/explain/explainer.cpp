// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "explain/explainer.hpp"

#include <algorithm>

#include "explain/explain_text.hpp"
#include "model/gang_start.hpp"
#include "model/queue_headroom.hpp"
#include "model/queue_properties.hpp"
#include "rules/headroom.hpp"

namespace tenon::internal {
namespace {

int64_t room(int64_t limit, int64_t used) { return std::max<int64_t>(0, sub_saturating(limit, used)); }

obstacle shortage(obstacle_kind kind, const queue &q, std::string_view type, int64_t asked, int64_t limit,
                  int64_t used) {
  obstacle h;
  h.kind = kind;
  h.queue = q.path;
  h.type = type;
  h.asked = asked;
  h.limit = limit;
  h.used = used;
  h.free = room(limit, used);
  h.short_by = asked - h.free;
  return h;
}

// The amount that a limit must have for `asked` to fit beside what is used.
int64_t needed(const obstacle &h) { return add_saturating(h.used, h.asked); }

void explain_applications(const application &app, explanation &out) {
  const auto count = [&](obstacle_kind kind, change_kind fix, const queue &q, uint64_t limit, uint64_t used,
                         std::string_view who, bool group) {
    obstacle h = shortage(kind, q, {}, 1, static_cast<int64_t>(limit), static_cast<int64_t>(used));
    h.name = who;
    h.group = group;
    out.changes.push_back(raise(fix, h, h.used + 1));
    out.obstacles.push_back(std::move(h));
  };
  if (!app.counted && app.state == application_state::accepted) {
    for (const queue *q = app.home; q != nullptr; q = q->parent) {
      if (q->max_applications == 0 || q->running_apps < q->max_applications) continue;
      count(obstacle_kind::queue_applications, change_kind::raise_queue_applications, *q, q->max_applications,
            q->running_apps, {}, false);
    }
  }
  if (app.place != limit_place::none) return;
  for (const bool group : {false, true}) {
    for (const usage_node *u = group ? app.group_usage : app.user_usage; u != nullptr; u = u->parent) {
      if (u->max_applications == 0 || u->running->size() < u->max_applications) continue;
      count(obstacle_kind::limit_applications, change_kind::raise_limit_applications, *u->where, u->max_applications,
            u->running->size(), group ? app.group : app.user, group);
    }
  }
}

obstacle whole_gang_obstacle(const application &app, const class_table &classes) {
  obstacle out;
  out.kind = obstacle_kind::whole_gang;
  for (const ask *a : app.asks) out.asked += a->placeholder ? a->pending() : 0;  // any order: a sum
  if (!gang_has_come(app, classes)) out.reason = "there are as many as its placeholder ask names";
  return out;
}

}  // namespace

void explainer::explain_limits(const application &app, const ask_class &c, explanation &out) const {
  for (const bool group : {false, true}) {
    for (const usage_node *u = group ? app.group_usage : app.user_usage; u != nullptr; u = u->parent) {
      for (const class_amount &p : c.positive) {
        if (!u->max.has(p.type) || p.amount <= sub_saturating(u->max[p.type], u->usage[p.type])) continue;
        obstacle h = shortage(obstacle_kind::limit_resources, *u->where, types.name(p.type), p.amount, u->max[p.type],
                              u->usage[p.type]);
        h.name = group ? app.group : app.user;
        h.group = group;
        out.changes.push_back(raise(change_kind::raise_limit_resources, h, needed(h)));
        out.obstacles.push_back(std::move(h));
      }
    }
  }
}

void explainer::explain_queues(const ask &a, const ask_class &c, explanation &out) const {
  for (const queue *q = a.owner->home; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : c.positive) {
      const int64_t used = used_by_others(*q, a, p.type);
      if (!q->max.has(p.type) || p.amount <= sub_saturating(q->max[p.type], used)) continue;
      obstacle h = shortage(obstacle_kind::queue_resources, *q, types.name(p.type), p.amount, q->max[p.type], used);
      out.changes.push_back(raise(change_kind::raise_queue_resources, h, needed(h)));
      out.obstacles.push_back(std::move(h));
    }
  }
  if (c.requires_a_node()) return;  // its node counts alone
  for (const class_amount &p : c.positive) {
    const int64_t free = nodes.free_together(p.type);
    if (p.amount <= free) continue;
    out.obstacles.push_back(shortage(obstacle_kind::cluster_resources, *root, types.name(p.type), p.amount,
                                     total[p.type], sub_saturating(total[p.type], free)));
  }
}

void explainer::explain_stopped(const queue &leaf, explanation &out) const {
  if (identity.state == object_state::stopped) {
    add_obstacle(out, obstacle_kind::partition_stopped, identity.name);
    add_change(out, change_kind::start_partition, identity.name);
  }
  for (const queue *q = &leaf; q != nullptr; q = q->parent) {
    if (q->state != object_state::stopped) continue;
    add_obstacle(out, obstacle_kind::queue_stopped, {}).queue = q->path;
    add_change(out, change_kind::start_queue, {}).queue = q->path;
  }
}

// A real ask of a task group. Limits do not matter where a placeholder is allocated: its room is counted already. Where
// none is, what holds the next one holds the ask.
void explainer::explain_placeholders(const ask &a, explanation &out) {
  const task_group &g = *a.gang;
  if (!g.allocated.empty()) {
    if (a.owner->gang.stuck) explain_nodes(a, out);
    return;
  }
  obstacle &o = add_obstacle(out, obstacle_kind::placeholders, g.name);
  o.asked = g.pending;
  o.used = g.held;
  const ask *next = nullptr;
  for (const ask *other : a.owner->asks) {  // any order: the first in their own is looked for
    if (other->gang != &g || !other->placeholder || other->state != ask_state::pending) continue;
    if (next == nullptr || tried_before(*other, *next)) next = other;
  }
  if (next == nullptr) return;
  explanation of_next;
  explain_ask(*next, of_next);
  out.nodes = of_next.nodes;
  for (obstacle &one : of_next.obstacles) {
    const bool told = one.kind == obstacle_kind::application_state || one.kind == obstacle_kind::rm_paused ||
                      one.kind == obstacle_kind::partition_stopped || one.kind == obstacle_kind::queue_stopped;
    if (!told && one.kind != obstacle_kind::queue_applications && one.kind != obstacle_kind::limit_applications) {
      out.obstacles.push_back(std::move(one));
    }
  }
  out.changes = std::move(of_next.changes);
}

// What of it the RM has not answered yet, as a sentence of its own.
std::string explainer::open_checks(const ask &a) const {
  std::string where;
  for (const proposal &p : a.owner->proposals) {
    if (&p.of() == &a) where += (where.empty() ? " " : ", ") + p.where().id;
  }
  return where.empty() ? where
                       : " Resource manager " + identity.rm + " has not said yet whether it accepts:" + where + ".";
}

void explainer::explain_ask(const ask &a, explanation &out) {
  const application &app = *a.owner;
  const ask_class &c = classes[a.class_id];
  if (identity.paused) {
    add_obstacle(out, obstacle_kind::rm_paused, identity.rm);
    add_change(out, change_kind::resume_rm, identity.rm);
  }
  if (!app.runs()) add_obstacle(out, obstacle_kind::application_state, app.state.name());
  explain_stopped(*app.home, out);
  if (app.runs()) explain_applications(app, out);
  if (a.line == ask_line::placeholders) return explain_placeholders(a, out);
  if (app.runs()) explain_orders(app, out);
  const size_t told = out.obstacles.size();
  ask_class whole;
  if (a.placeholder && waits_to_begin(app, classes)) whole = class_of_gang(app, classes);
  whole.required_node = c.required_node;
  const bool begins_whole = !whole.positive.empty();
  explain_limits(app, begins_whole ? whole : c, out);
  explain_queues(a, begins_whole ? whole : c, out);
  if (begins_whole && (a.line == ask_line::refused || out.obstacles.size() != told))
    out.obstacles.insert(out.obstacles.begin() + static_cast<ptrdiff_t>(told), whole_gang_obstacle(app, classes));
  if (app.runs()) explain_kept_order(a, out);
  explain_nodes(a, out);
  explain_claims(a, out);
  explain_preemption(a, out);
}

explanation explainer::explain(std::string_view app_id, std::string_view key) {
  explanation out;
  out.partition = identity.name;
  out.application = app_id;
  out.key = key;
  const application *app = applications.find_application(app_id);
  if (app == nullptr) {
    out.text = "There is no application " + out.application + ".";
    return out;
  }
  out.queue = app->home->path;
  const ask *found = app->asks.find(key);
  out.known = found != nullptr;
  if (found == nullptr || found->state != ask_state::pending) {
    out.text = out.known ? "Every allocation of ask " + out.key + " is placed."
                         : "There is no ask " + out.key + " in application " + out.application + ".";
    if (out.known) out.text += open_checks(*found);
    return out;
  }
  const ask &a = *found;
  out.pending = true;
  out.asked = configured_values(classes[a.class_id].need, types);
  out.waiting = a.pending();
  explain_ask(a, out);
  out.before = a.line == ask_line::placeholders ? count_before_in_gangs(a) : count_before(a);
  return out;
}

}  // namespace tenon::internal
