// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "queueing/sort_keys.hpp"

#include <algorithm>

#include "core.hpp"
#include "ledger/change_writer.hpp"
#include "model/queue_turns.hpp"
#include "policies/call_contexts.hpp"
#include "policies/prepared_words.hpp"
#include "policies/sort_orders.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/rule_ports.hpp"

namespace tenon::internal {
namespace {

// Asks the policy for the keys of the dirty items that are in play, and moves each to its new place.
template <class Item, class InPlay, class Compute, class Move>
bool flush_dirty(std::vector<Item *> &dirty, key_batch &keys, uint32_t key_words, InPlay &&in_play, Compute &&compute,
                 Move &&move) {
  std::erase_if(dirty, [&](Item *item) { return !item->key_dirty || !in_play(*item); });
  if (dirty.empty()) return true;
  if (!compute(std::span<Item *const>(dirty))) return false;
  for (size_t i = 0; i < dirty.size(); ++i) {
    dirty[i]->key_dirty = false;
    move(*dirty[i], keys.words.data() + i * key_words, keys.not_before_ms[i], keys.valid_until_ms[i]);
  }
  dirty.clear();
  return true;
}

// Most keys have nothing to do with the time.
bool is_timed(const sort_key &key, int64_t not_before, int64_t until) {
  return not_before != INT64_MIN || until != INT64_MAX || key.due_ms != INT64_MAX;
}

}  // namespace

void sort_keys::decay(queue &q) {
  for (decayed_usage &past : q.decayed) past.change(clock.now_ms(), q.allocated);
}

void sort_keys::rekey_children(queue &parent) {
  for (const auto &child : parent.children) {
    if (child->key.held_back()) mark_stale(parent);
    if (child->key_dirty) continue;
    child->key_dirty = true;
    parent.dirty_children.push_back(child.get());
  }
}

void sort_keys::rekey_applications(queue &leaf) {
  kept.may_change(leaf);
  for (application *app : leaf.apps) {
    if (app->key.held_back()) mark_stale(leaf);
    if (app->key_dirty) continue;
    app->key_dirty = true;
    leaf.dirty_apps.push_back(app);
  }
}

void sort_keys::mark_stale(queue &q) {
  if (std::find(stale_.begin(), stale_.end(), &q) == stale_.end()) stale_.push_back(&q);
}

void sort_keys::restart(sort_policy &policy) {
  if (policy.kind == module_kind::node_sort) {
    return orders.nodes.for_each([&](node_sorting &by) {
      if (by.policy.get() == &policy) orders.nodes.start(by);
    });
  }
  for_each_queue(*root, [&](queue &q) {
    if (q.order == &policy) restart(q);
  });
}

void sort_keys::changed(application &app, uint32_t columns) {
  changes.apply(application_ordered{app});
  queue &leaf = *app.home;
  const sort_policy &policy = *leaf.order;
  if ((columns & column::allocated) != 0) {
    for (decayed_usage &past : app.decayed) past.change(clock.now_ms(), app.allocated);
  }
  if (leaf.starts != nullptr && (columns & column::of_starts) != 0) file_start(app, true);
  if ((policy.sibling_mask & columns) != 0) return rekey_applications(leaf);
  if ((policy.item_mask & columns) == 0) return;
  if (app.key.held_back()) mark_stale(leaf);
  if (app.key_dirty) return;
  app.key_dirty = true;
  leaf.dirty_apps.push_back(&app);
  kept.may_change(leaf);
}

void sort_keys::joined(application &app) {
  if (app.home->order->sibling_mask != 0) changed(app, ~0U);
  if (app.home->starts != nullptr) file_start(app, true);
}

void sort_keys::left(application &app) {
  if (app.home->order->sibling_mask != 0) changed(app, ~0U);
  if (app.home->starts != nullptr) file_start(app, false);
}

void sort_keys::file_start(application &app, bool is_there) {
  application *before = app.home->starts->next();
  app.home->starts->file(app, is_there);
  application *now = app.home->starts->next();
  if (now == before) return;
  if (before != nullptr && (is_there || before != &app)) changed(*before, column::starts);
  if (now != nullptr) changed(*now, column::starts);
}

// An application that asks for nothing has no turn, and when it asks again, often the priority that its key is of.
void sort_keys::priority_changed(application &app) {
  const bool is_read_of_siblings = (app.home->order->sibling_mask & column::priority) != 0;
  const bool key_will_do = app.priority == INT32_MIN || app.priority == app.keyed_priority;
  if (is_read_of_siblings || !key_will_do || app.key.held_back()) return changed(app, column::priority);
  changes.apply(application_ordered{app});
}

void sort_keys::restart(queue &q) {
  const uint32_t words = q.order->key_words();
  fallback.count(prepare_items(q));
  for (application *app : q.apps) follow_decay(*app);
  for (const auto &child : q.children) follow_decay(*child);
  q.starts = nullptr;
  q.dirty_apps.clear();
  for (application *app : q.apps) {
    ready.hold(*app);
    app->key.reset(words);
    app->key_dirty = true;
    q.dirty_apps.push_back(app);
  }
  for (application *app : q.apps) ready.let_go(*app);
  q.dirty_children.clear();
  for (const auto &child : q.children) {
    ready.queue_became_unready(*child);
    child->key.reset(words);
    child->key_dirty = true;
    q.dirty_children.push_back(child.get());
  }
  for (const auto &child : q.children) ready.queue_became_ready(*child);
}

void sort_keys::mark_all_dirty(queue &q) {
  q.dirty_apps.assign(q.apps.begin(), q.apps.end());
  q.dirty_children.clear();
  for (const auto &child : q.children) q.dirty_children.push_back(child.get());
  for (application *app : q.dirty_apps) app->key_dirty = true;
  for (queue *child : q.dirty_children) child->key_dirty = true;
}

void sort_keys::flush(queue &q) {
  if (q.leaf ? q.dirty_apps.empty() : q.dirty_children.empty()) return;
  if (q.leaf && q.order->reads_starts && q.starts == nullptr) {
    q.starts = std::make_unique<start_line>();
    for (application *app : q.apps) q.starts->file(*app, true);
  }
  // A policy that reads siblings sees them all, those that wait for something included.
  const bool all = q.order->sibling_mask != 0;
  if (all) mark_all_dirty(q);
  const bool ok = q.leaf ? flush_dirty(
                               q.dirty_apps, batch_, q.order->key_words(), [](const application &) { return true; },
                               [&](auto items) { return app_keys(*q.order, contexts.now(), q, items, batch_); },
                               [&](application &a, const uint64_t *words, int64_t not_before, int64_t until) {
                                 set_app_key(a, words, not_before, until);
                               })
                         : flush_dirty(
                               q.dirty_children, batch_, q.order->key_words(),
                               [&](const queue &child) { return all || has_ready(child); },
                               [&](auto items) { return queue_keys(*q.order, contexts.now(), q, items, batch_); },
                               [&](queue &child, const uint64_t *words, int64_t not_before, int64_t until) {
                                 set_queue_key(child, words, not_before, until);
                               });
  if (ok) return;
  fallback.failed(*q.order);
  flush(q);
}

void sort_keys::flush_stale() {
  while (!stale_.empty()) {
    queue *q = stale_.back();
    stale_.pop_back();
    flush(*q);
  }
}

void sort_keys::forget_gone_queues() {
  std::erase_if(stale_, [](const queue *q) { return q->gone; });
}

void sort_keys::set_app_key(application &app, const uint64_t *words, int64_t not_before, int64_t until) {
  app.keyed_priority = app.priority;
  if (not_before <= clock.now_ms()) not_before = INT64_MIN;
  if (is_timed(app.key, not_before, until)) {
    time_key(app.key, *app.home->order, not_before, until, timer_kind::app_rekey, app.index, app.submission);
  }
  const uint32_t count = app.home->order->key_words();
  const bool same_time = app.key.not_before_ms == not_before;
  if (same_time && std::equal(words, words + count, app.key.words.begin(), app.key.words.end())) return;
  kept.may_change(*app.home);
  const bool single = same_time && app.classes.size() == 1 && app.key.words.size() == count;
  if (!single) ready.hold(app);  // several places change at once: out of the heaps, then in again
  app.key.words.assign(words, words + count);
  app.key.not_before_ms = not_before;
  if (!same_time) changes.apply(application_ordered{app});
  if (single) {
    ready.order_changed(*app.classes.front());
  } else {
    ready.let_go(app);
  }
}

void sort_keys::set_queue_key(queue &q, const uint64_t *words, int64_t not_before, int64_t until) {
  if (not_before <= clock.now_ms()) not_before = INT64_MIN;
  if (is_timed(q.key, not_before, until)) {
    time_key(q.key, *q.parent->order, not_before, until, timer_kind::queue_rekey, 0, q.sequence);
  }
  const uint32_t count = q.parent->order->key_words();
  const bool was_in = q.parent->ready->contains(&q);
  const bool same_time = q.key.not_before_ms == not_before;
  if (was_in && same_time && std::equal(words, words + count, q.key.words.begin(), q.key.words.end())) return;
  if (q.key.words.size() != count) q.key.words.resize(count);
  std::copy_n(words, count, q.key.words.begin());
  q.key.not_before_ms = not_before;
  if (was_in && same_time) return q.parent->ready->update(&q);
  if (was_in && not_before != INT64_MIN) {
    ready.queue_became_unready(q);
  } else if (!was_in) {
    ready.queue_became_ready(q);
  }
}

// Sees to it that the key is made anew in time. What is held back is looked at again in every period of its policy;
// the rest is then looked at by whoever decides next.
void sort_keys::time_key(sort_key &key, const sort_policy &policy, int64_t not_before, int64_t until, timer_kind kind,
                         uint32_t object, uint64_t epoch) {
  key.due_ms = until > clock.now_ms() ? until : INT64_MAX;
  if (not_before != INT64_MIN) {
    key.due_ms = std::min(key.due_ms, not_before);
    key.due_ms = std::min(key.due_ms, policy.period_end(clock.now_ms()));
  }
  if (key.due_ms >= key.armed_ms || key.due_ms == INT64_MAX) return;
  key.armed_ms = key.due_ms;
  clock.arm(key.due_ms, kind, object, epoch);
}

// A timer of the key fired: is the key's time over?
bool sort_keys::time_is_over(sort_key &key, const timer &t) {
  if (key.armed_ms != t.due_ms) return false;
  key.armed_ms = INT64_MAX;
  if (key.due_ms <= clock.now_ms()) return true;
  if (key.due_ms == INT64_MAX) return false;
  key.armed_ms = key.due_ms;
  clock.arm(key.due_ms, t.kind, t.object, t.epoch);
  return false;
}

void sort_keys::is_due(application &app, const timer &t) {
  if (app.home != nullptr && time_is_over(app.key, t)) changed(app, column::time);
}

void sort_keys::is_due(const timer &t) {
  for_each_queue(*root, [&](queue &q) {
    if (q.parent != nullptr && q.sequence == t.epoch && time_is_over(q.key, t)) changed(q, column::time);
  });
}

// The time passed a multiple of some policy's rekey_ms or the end of a step of something decayed that it reads: all of
// its keys are stale. What it holds back has a timer.
void sort_keys::start_periods() {
  next_period_ms_ = INT64_MAX;
  std::vector<const sort_policy *> begun;
  const auto look = [&](sort_policy &policy) {
    next_period_ms_ = std::min(next_period_ms_, policy.period_end(clock.now_ms()));
    if (policy.begin_periods(clock.now_ms())) begun.push_back(&policy);
  };
  orders.for_each_policy(look);
  const auto begins = [&](const sort_policy *p) { return std::find(begun.begin(), begun.end(), p) != begun.end(); };
  orders.nodes.for_each([&](node_sorting &by) {
    if (begins(by.policy.get())) by.keys_changed();
  });
  for_each_queue(*root, [&](queue &q) {
    if (!begins(q.order)) return;
    mark_all_dirty(q);
    kept.may_change(q);
  });
}

namespace {

void follow(std::vector<decayed_usage> &followed, const sort_policy &policy, int64_t now_ms, const resources &has) {
  const auto &wanted = policy.half_lives;
  std::erase_if(followed, [&](const decayed_usage &one) {
    return std::find(wanted.begin(), wanted.end(), one.half_life()) == wanted.end();
  });
  for (const uint32_t seconds : wanted) {
    const auto is = [&](const decayed_usage &one) { return one.half_life() == seconds; };
    if (std::none_of(followed.begin(), followed.end(), is)) followed.emplace_back(seconds, now_ms, has);
  }
}

}  // namespace

void sort_keys::follow_decay(queue &q) { follow(q.decayed, *q.parent->order, clock.now_ms(), q.allocated); }
void sort_keys::follow_decay(application &app) { follow(app.decayed, *app.home->order, clock.now_ms(), app.allocated); }

}  // namespace tenon::internal
