// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Explain: reads the same state that parks asks, and says with numbers what obstacles one and what would free it.
#include <algorithm>

#include "explain_words.hpp"
#include "partition.hpp"
#include "tenon/kernel/state_tables.hpp"

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

void add_obstacle(explanation &out, obstacle_kind kind, std::string_view who) {
  obstacle &o = out.obstacles.emplace_back();
  o.kind = kind;
  o.name = who;
}

void add_change(explanation &out, change_kind kind, std::string_view who) {
  change &c = out.changes.emplace_back();
  c.kind = kind;
  c.name = who;
}

// The amount that a limit must have for `asked` to fit beside what is used.
int64_t needed(const obstacle &h) { return add_saturating(h.used, h.asked); }

}  // namespace

void partition::explain_applications(const application &app, explanation &out) const {
  const auto count = [&](obstacle_kind kind, change_kind fix, const queue &q, uint64_t limit, uint64_t used,
                         std::string_view who, bool group) {
    obstacle h = shortage(kind, q, {}, 1, static_cast<int64_t>(limit), static_cast<int64_t>(used));
    h.name = who;
    h.group = group;
    change c;
    c.kind = fix;
    c.queue = q.path;
    c.name = who;
    c.group = group;
    c.from = h.limit;
    c.to = h.used + 1;
    out.obstacles.push_back(std::move(h));
    out.changes.push_back(std::move(c));
  };
  if (!app.counted) {
    for (const queue *q = app.home; q != nullptr; q = q->parent) {
      if (q->max_applications == 0 || q->running_apps < q->max_applications) continue;
      count(obstacle_kind::queue_applications, change_kind::raise_queue_applications, *q, q->max_applications,
            q->running_apps, {}, false);
    }
  }
  if (!app.allocations.empty()) return;
  for (const bool group : {false, true}) {
    for (const usage_node *u = group ? app.group_usage : app.user_usage; u != nullptr; u = u->parent) {
      if (u->max_applications == 0 || u->running.size() < u->max_applications) continue;
      count(obstacle_kind::limit_applications, change_kind::raise_limit_applications, *u->where, u->max_applications,
            u->running.size(), group ? app.group : app.user, group);
    }
  }
}

void partition::explain_limits(const application &app, const ask_class &c, explanation &out) const {
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

void partition::explain_queues(const queue &leaf, const ask_class &c, explanation &out) const {
  for (const queue *q = &leaf; q->parent != nullptr; q = q->parent) {
    for (const class_amount &p : c.positive) {
      if (!q->max.has(p.type) || p.amount <= sub_saturating(q->max[p.type], q->allocated[p.type])) continue;
      obstacle h = shortage(obstacle_kind::queue_resources, *q, types.name(p.type), p.amount, q->max[p.type],
                            q->allocated[p.type]);
      out.changes.push_back(raise(change_kind::raise_queue_resources, h, needed(h)));
      out.obstacles.push_back(std::move(h));
    }
  }
  for (const class_amount &p : c.positive) {
    if (p.amount <= sub_saturating(total[p.type], root->allocated[p.type])) continue;
    out.obstacles.push_back(shortage(obstacle_kind::cluster_resources, *root, types.name(p.type), p.amount,
                                     total[p.type], root->allocated[p.type]));
  }
}

// Counts why nodes do not do, and finds the one that misses least.
void partition::explain_nodes(const ask &a, explanation &out) {
  const ask_class &c = classes[a.class_id];
  std::vector<uint64_t> by_type(types.count()), by_device(types.count());
  std::map<std::string, uint64_t> by_predicate;
  const node *nearest = nullptr;
  const node *drained = nullptr;
  double least = 0;
  bool kept = false;
  const bool required = !c.required_node.empty();
  for (const auto &[node_id, n] : nodes.by_id()) {
    ++out.nodes.nodes;
    const int64_t *free = nodes.free(n->slot);
    const auto missing = std::find_if(c.positive.begin(), c.positive.end(),
                                      [&](const class_amount &p) { return free[p.type] < p.amount; });
    const std::vector<device_lack> lacks = devices_lacking(c, n->slot);
    if (required && n->id != c.required_node) {
      ++by_predicate["another node is required"];
    } else if (!passes(c, n->slot)) {
      ++by_predicate[reason_of(c, n->slot)];
    } else if (!required && !n->schedulable) {
      ++out.nodes.not_schedulable;
      if (nodes.holds(c, n->slot) && drained == nullptr) drained = n;
    } else if (!may_use(a, c, *n)) {
      ++by_predicate["reserved for others"];
      kept = true;
    } else if (nodes.holds(c, n->slot)) {
      ++out.nodes.fit;
    } else {
      ++(missing != c.positive.end() ? by_type[missing->type] : by_device[lacks.front().type]);
      if (std::any_of(lacks.begin(), lacks.end(), [](const device_lack &l) { return !l.mendable; })) continue;
      resources available = n->capacity;
      available -= n->occupied;
      available -= n->allocated;
      double score = fit_in_score(c.need, available);
      for (const device_lack &l : lacks) score += static_cast<double>(l.missing) / static_cast<double>(l.wanted);
      if (nearest == nullptr || score < least) {
        nearest = n;
        least = score;
      }
    }
  }
  for (type_index t = 0; t < by_type.size(); ++t) {
    if (by_type[t] != 0) out.nodes.types.emplace_back(types.name(t), by_type[t]);
    if (by_device[t] != 0) out.nodes.devices.emplace_back(types.name(t), by_device[t]);
  }
  out.nodes.predicates.assign(by_predicate.begin(), by_predicate.end());
  const bool cluster_short = std::any_of(out.obstacles.begin(), out.obstacles.end(),
                                         [](const obstacle &h) { return h.kind == obstacle_kind::cluster_resources; });
  if (out.nodes.fit != 0 && !cluster_short) return;
  if (out.nodes.fit == 0) add_obstacle(out, obstacle_kind::nodes, {});
  if (required && kept) return;
  change_of_nodes(c, nearest, cluster_short ? nullptr : drained, out);
}

void partition::change_of_nodes(const ask_class &c, const node *nearest, const node *drained, explanation &out) const {
  if (drained != nullptr) {
    add_change(out, change_kind::undrain_node, drained->id);
    return;
  }
  if (nearest == nullptr) {
    change add;
    add.kind = change_kind::add_node;
    add.amounts = configured_values(c.need);
    add.name = c.required_node;
    out.changes.push_back(std::move(add));
    return;
  }
  for (const class_amount &p : c.positive) {
    const int64_t free = nodes.free(nearest->slot)[p.type];
    const int64_t cluster_free = sub_saturating(total[p.type], root->allocated[p.type]);
    const int64_t more = std::max(p.amount - free, p.amount - cluster_free);
    if (more <= 0) continue;
    change raise_node;
    raise_node.kind = change_kind::raise_node_capacity;
    raise_node.name = nearest->id;
    raise_node.type = types.name(p.type);
    raise_node.from = nearest->capacity[p.type];
    raise_node.to = add_saturating(raise_node.from, more);
    out.changes.push_back(std::move(raise_node));
  }
  for (const device_lack &l : devices_lacking(c, nearest->slot)) {
    change raise_devices;
    raise_devices.kind = change_kind::raise_node_devices;
    raise_devices.name = nearest->id;
    raise_devices.type = types.name(l.type);
    raise_devices.from = l.has;
    raise_devices.to = l.has + l.missing;
    out.changes.push_back(std::move(raise_devices));
  }
}

std::string partition::reason_of(const ask_class &c, uint32_t slot) const {
  if (c.judged == nullptr || slot >= c.judged->reasons.size()) return {};
  const uint16_t reason = c.judged->reasons[slot];
  return reason < reason_texts.size() ? reason_texts[reason] : std::string{};
}

namespace {

int64_t waiting_below(const queue &q) {
  int64_t count = 0;
  for (const application *app : q.apps) count += waiting_of(*app);
  for (const auto &child : q.children) count += waiting_below(*child);
  return count;
}

}  // namespace

int64_t waiting_of(const application &app) {
  int64_t count = 0;
  for (const auto &[key, a] : app.asks) count += a->state == ask_state::pending ? a->pending() : 0;
  return count;
}

// Limits do not matter: its room is counted already.
void partition::explain_gang(const ask &a, explanation &out) {
  const task_group &g = *a.gang;
  if (g.allocated.empty()) {
    add_obstacle(out, obstacle_kind::placeholders, g.name);
    out.obstacles.back().asked = g.pending;
    out.obstacles.back().used = g.held;
  } else if (a.owner->gang_stuck) {
    explain_nodes(a, out);
  }
}

// What it does beside waiting for a place.
void partition::explain_claims(const ask &a, explanation &out) const {
  if (const reservation *r = reservation_of(a)) add_obstacle(out, obstacle_kind::reserved, r->where->id);
  if (a.wait != nullptr && !a.wait->victims.empty()) {
    std::string all;
    for (const allocation *x : a.wait->victims) all += (all.empty() ? "" : ", ") + x->owner->id + "/" + x->key();
    add_obstacle(out, obstacle_kind::victims, all);
    out.obstacles.back().asked = static_cast<int64_t>(a.wait->victims.size());
  }
  const int64_t at = preempts_at(a);
  if (out.obstacles.empty() || at == INT64_MAX || at <= shared.now_ms) return;
  add_obstacle(out, obstacle_kind::preempts_later, {});
  out.obstacles.back().until_ms = at;
}

uint64_t partition::count_before_in_gangs(const ask &a) const {
  int64_t count = 0;
  for (const application *app : by_submission()) {
    if (app->submission > a.owner->submission) break;
    if (!app->runs() || app->gang_stuck) continue;
    for (const task_group *g : app->groups_in_play) {
      for (const ask *other : g->waiting) {
        if (app != a.owner || tried_before(*other, a)) count += other->pending();
      }
    }
  }
  return static_cast<uint64_t>(count);
}

// Pending allocations that the cycle would try before the ask's next one. What policies hold back is not before it.
uint64_t partition::count_before(const ask &a) {
  const application &app = *a.owner;
  int64_t count = 0;
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    const auto keys = fresh_keys(*q->parent);
    const sort_key &own = keys.at(q);
    for (const auto &rival : q->parent->children) {
      const sort_key &key = keys.at(rival.get());
      if (rival.get() == q || rival->pending.empty() || key.held_back()) continue;
      const int sorted = key.compare(own);
      if (sorted < 0 || (sorted == 0 && rival->sequence < q->sequence)) count += waiting_below(*rival);
    }
  }
  const auto keys = fresh_keys_of_apps(*app.home);
  const sort_key &own = keys.at(&app);
  for (const application *rival : app.home->apps) {
    const sort_key &key = keys.at(rival);
    if (rival == &app || rival->pending.empty() || key.held_back()) continue;
    const int sorted = key.compare(own);
    if (sorted < 0 || (sorted == 0 && rival->submission < app.submission)) count += waiting_of(*rival);
  }
  for (const auto &[key, other] : app.asks) {
    if (other->state == ask_state::pending && tried_before(*other, a)) count += other->pending();
  }
  return static_cast<uint64_t>(count);
}

// Policies that hold back the application or a queue above it.
void partition::explain_orders(const application &app, explanation &out) {
  const auto held = [&](const sort_key &key, const queue &in, const std::string &who) {
    if (!key.held_back()) return;
    obstacle &o = out.obstacles.emplace_back();
    o.kind = obstacle_kind::held_back;
    o.queue = in.path;
    o.name = who;
    o.policy = in.order->bound->name;
    o.until_ms = key.not_before_ms == TENON_NOT_NOW ? 0 : key.not_before_ms;
  };
  held(fresh_keys_of_apps(*app.home).at(&app), *app.home, "application " + app.id);
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    held(fresh_keys(*q->parent).at(q), *q->parent, "queue " + q->path);
  }
}

namespace {

template <class Item>
auto keyed(const std::vector<Item *> &items, const key_batch &batch, bool ok, uint32_t words, int64_t now_ms) {
  std::map<const Item *, sort_key> out;  // any order: looked up, never walked
  for (size_t i = 0; i < items.size(); ++i) {
    sort_key &key = out[items[i]];
    if (!ok) continue;
    key.words.assign(batch.words.data() + i * words, batch.words.data() + (i + 1) * words);
    if (batch.not_before_ms[i] > now_ms) key.not_before_ms = batch.not_before_ms[i];
  }
  return out;
}

}  // namespace

partition::keys_of<queue> partition::fresh_keys(queue &parent, bool *fine) {
  std::vector<queue *> items;
  for (const auto &child : parent.children) items.push_back(child.get());
  key_batch batch;
  const bool ok = items.empty() || queue_keys(*parent.order, context(), parent, items, batch);
  if (fine != nullptr) *fine = ok;
  return keyed(items, batch, ok, parent.order->key_words(), shared.now_ms);
}

partition::keys_of<application> partition::fresh_keys_of_apps(queue &leaf, bool *fine) {
  key_batch batch;
  const bool ok = leaf.apps.empty() || app_keys(*leaf.order, context(), leaf, leaf.apps, batch);
  if (fine != nullptr) *fine = ok;
  return keyed(leaf.apps, batch, ok, leaf.order->key_words(), shared.now_ms);
}

// "node-1: reason; node-2"
std::string partition::refusals_in_words(const ask &a) {
  std::string out;
  if (a.wait == nullptr) return out;
  for (const node_refusal &r : a.wait->refusals) {
    if (!out.empty()) out += "; ";
    out += r.why;
  }
  return out;
}

// What of it the RM has not answered yet, as a sentence of its own.
std::string partition::open_checks(const ask &a) const {
  std::string where;
  for (const proposal &p : a.owner->proposals) {
    if (&p.of() == &a) where += (where.empty() ? " " : ", ") + p.where().id;
  }
  return where.empty() ? where : " Resource manager " + rm + " has not said yet whether it accepts:" + where + ".";
}

explanation partition::explain(std::string_view app_id, std::string_view key) {
  explanation out;
  out.partition = name;
  out.application = app_id;
  out.key = key;
  const application *app = find_application(app_id);
  if (app == nullptr) {
    out.text = "There is no application " + out.application + ".";
    return out;
  }
  out.queue = app->home->path;
  const auto found = app->asks.find(key);
  out.known = found != app->asks.end();
  if (found == app->asks.end() || found->second->state != ask_state::pending) {
    out.text = out.known ? "Every allocation of ask " + out.key + " is placed."
                         : "There is no ask " + out.key + " in application " + out.application + ".";
    if (out.known) out.text += open_checks(*found->second);
    return out;
  }
  const ask &a = *found->second;
  const ask_class &c = classes[a.class_id];
  out.pending = true;
  out.asked = configured_values(c.need);
  out.waiting = a.pending();
  if (paused) {
    add_obstacle(out, obstacle_kind::rm_paused, rm);
    add_change(out, change_kind::resume_rm, rm);
  }
  const bool runs = app->state == application_state::accepted || app->state == application_state::starting ||
                    app->state == application_state::running;
  if (!runs) add_obstacle(out, obstacle_kind::application_state, tenon::name(app->state));
  if (app->state == application_state::accepted) explain_applications(*app, out);
  if (a.line == ask_line::placeholders) {
    explain_gang(a, out);
    out.before = count_before_in_gangs(a);
    put_in_words(out);
    return out;
  }
  if (runs) explain_orders(*app, out);
  explain_limits(*app, c, out);
  explain_queues(*app->home, c, out);
  explain_nodes(a, out);
  explain_claims(a, out);
  if (a.line == ask_line::aside && out.nodes.fit != 0) {
    add_obstacle(out, obstacle_kind::rm_refuses, rm);
    out.obstacles.back().reason = refusals_in_words(a);
  }
  out.before = count_before(a);
  put_in_words(out);
  return out;
}

}  // namespace tenon::internal
