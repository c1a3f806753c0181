// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/inspector.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cycle/policy_faults.hpp"
#include "model/may_run.hpp"
#include "ready/change_dispatcher.hpp"
#include "ready/fresh_keys.hpp"
#include "rules/headroom.hpp"
#include "rules/node_search.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement_checks.hpp"
#include "told/fact_teller.hpp"

namespace tenon::internal {
namespace {

// In the order of their keys, ties by what `number` gives; without those that wait for nothing or are held back.
template <class Item, class Keys, class Number>
std::vector<Item *> in_order(std::vector<Item *> items, const Keys &keys, Number &&number) {
  std::erase_if(items, [&](const Item *item) { return item->pending->empty() || keys.at(item).held_back(); });
  std::sort(items.begin(), items.end(), [&](const Item *x, const Item *y) {
    const int order = keys.at(x).compare(keys.at(y));
    return order != 0 ? order < 0 : number(*x) < number(*y);
  });
  return items;
}

int64_t room(const resources &max, const resources &used, const resources &more, type_index t) {
  return sub_saturating(sub_saturating(max[t], used[t]), more[t]);
}

// It is over the limit now, or not any more: then `max` and `used` are null.
void tell_limit(const fact_teller &facts, ask &a, ask_limit which, const resources *max, const resources *used) {
  if ((max != nullptr) == fact_teller::is_known_over(a, which)) return;
  if (max == nullptr) return facts.tell_fits(a, which);
  resources left;
  for_each_type(*max, [&](type_index t, int64_t amount) { left.set(t, sub_saturating(amount, (*used)[t])); });
  facts.tell_over(a, which, left);
}

}  // namespace

// What the asks before would take, were there nodes for them.
struct inspector::inspection {
  std::map<const queue *, resources> queues;      // any order: looked up, never walked
  std::map<const usage_node *, resources> users;  // any order: the same
  std::map<uint32_t, bool> nodes;                 // by class: is one there for it?
  std::vector<std::pair<ask *, container_word>> words;
  std::vector<ask *> tried;  // of applications that are not held
};

// The limits of one application: what one is and has, and what the asks before would take of it.
struct inspector::limit_above {
  const resources *max;
  resources used;
  resources *more;
};

std::vector<inspector::limit_above> inspector::limits_above(const application &app, inspection &seen) {
  std::vector<limit_above> out;
  for (usage_node *start : {app.user_usage, app.group_usage}) {
    for (usage_node *u = start; u != nullptr; u = u->parent) {
      if (!u->max.empty()) out.push_back({&u->max, u->usage, &seen.users[u]});
    }
  }
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    if (q->max.empty()) continue;
    out.push_back({&q->max, q->allocated, &seen.queues[q]});
    out.back().used += q->awaited;
  }
  return out;
}

void inspector::inspect() {
  checks.ask_nobody(true);
  inspection seen;
  for (;;) {
    const size_t retired = faults.retired();
    const uint64_t failed = verdicts.faults();
    inspect_queue(*root, seen, root->state == object_state::stopped);
    if (faults.retired() == retired && verdicts.faults() == failed) break;
    seen = {};  // a policy failed: all of it again, as if it had failed before
  }
  checks.ask_nobody(false);
  for (const auto &[a, word] : seen.words) tell_word(*a, word);
  for (ask *a : seen.tried) tell_limits_of(*a);
}

void inspector::tell_word(ask &a, container_word word) {
  if (word != a.told()) changes.apply(ask_told{a, word});
}

void inspector::inspect_queue(const queue &q, inspection &seen, bool stopped) {
  if (q.leaf) {
    std::vector<application *> apps(q.apps.begin(), q.apps.end());
    std::erase_if(apps, [](const application *app) { return !app->runs(); });
    const auto submission = [](const application &app) { return app.submission; };
    bool ok = true;
    const auto fresh = keys.of_applications(q, &ok);
    if (!ok) return faults.failed(*q.order);
    for (application *app : in_order(std::move(apps), fresh, submission)) inspect_application(*app, seen, stopped);
    return;
  }
  std::vector<queue *> children;
  for (const auto &child : q.children) children.push_back(child.get());
  const auto sequence = [](const queue &child) { return child.sequence; };
  bool ok = true;
  const auto fresh = keys.of_children(q, &ok);
  if (!ok) return faults.failed(*q.order);
  for (queue *child : in_order(std::move(children), fresh, sequence))
    inspect_queue(*child, seen, stopped || child->state == object_state::stopped);
}

void inspector::inspect_application(application &app, inspection &seen, bool stopped) {
  const bool full = full_queue_of(app) != nullptr;
  const bool held = full || full_limit_of(app) != nullptr;
  if (!stopped) facts.tell_held(app, full, held);
  std::vector<ask *> waiting;
  for (ask *a : app.asks) {  // any order: sorted next
    const bool refused = a->line == ask_line::refused && !waits_for_placeholders(*a);
    if (a->line == ask_line::run || refused) waiting.push_back(a);
  }
  std::sort(waiting.begin(), waiting.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  if (waiting.empty()) return;
  const bool is_passed_over = held || stopped;
  const auto above = is_passed_over ? std::vector<limit_above>() : limits_above(app, seen);
  uint32_t beyond = no_class;  // what is beyond a limit stays so: the asks after it only leave less
  for (ask *a : waiting) {
    const bool is_beyond = is_passed_over || a->class_id == beyond;
    const container_word word = is_beyond ? container_word::skipped : word_for(*a, above, seen);
    if (word == container_word::skipped) beyond = a->class_id;
    if (word != container_word::none) seen.words.emplace_back(a, word);
    if (facts.listened() && !is_passed_over) seen.tried.push_back(a);
    if (word == container_word::failed) tell_unschedulable(*a);
  }
}

container_word inspector::word_for(ask &a, const std::vector<limit_above> &above, inspection &seen) {
  ask_class &c = classes[a.class_id];
  int64_t fits = a.pending();
  for (const limit_above &limit : above) {
    for (const class_amount &p : c.positive) {
      if (limit.max->has(p.type)) fits = std::min(fits, room(*limit.max, limit.used, *limit.more, p.type) / p.amount);
    }
  }
  if (fits <= 0) return container_word::skipped;
  if (c.requires_a_node()) return container_word::none;
  if (is_node_there(a, c, seen)) return container_word::none;
  const resources taken = multiply(c.need, fits);
  for (const limit_above &limit : above) *limit.more += taken;
  return container_word::failed;
}

bool inspector::is_node_there(ask &a, ask_class &c, inspection &seen) {
  if (c.blocked) return false;
  const auto [known, fresh] = seen.nodes.try_emplace(c.id, false);
  bool refused = false;
  if (fresh) known->second = static_cast<bool>(search.find(c, a, refused));
  return known->second;
}

// It is over a limit now, or not any more.
void inspector::tell_limits_of(ask &a) {
  ask_class &c = classes[a.class_id];
  type_index type = no_type;
  const usage_node *quota = reached_amount(*a.owner, c).of;
  tell_limit(facts, a, ask_limit::quota, quota != nullptr ? &quota->max : nullptr,
             quota != nullptr ? &*quota->usage : nullptr);
  if (quota != nullptr) return;
  const queue *full = headroom.full_queue(a, c, type);
  tell_limit(facts, a, ask_limit::queue, full != nullptr ? &full->max : nullptr,
             full != nullptr ? &*full->allocated : nullptr);
}

// Of the nodes that have room for it, none passes the predicates: why, as far as they were asked.
void inspector::tell_unschedulable(ask &a) {
  const ask_class &c = classes[a.class_id];
  if (c.judged == nullptr || !facts.may_say_why_unplaced(a)) return;
  std::map<std::string, uint64_t> nodes_by_reason;
  for (uint32_t slot = 0; slot < nodes.slots(); ++slot) {
    const node *n = nodes.at(slot);
    if (n == nullptr || !n->schedulable() || !nodes.holds(c, slot)) continue;
    const uint8_t known = verdicts.known_of(c, slot);
    if (known == verdict_set::pass) return;
    if (known != verdict_set::unknown) ++nodes_by_reason[verdicts.reason_of(c, slot)];
  }
  if (nodes_by_reason.empty()) return;
  std::string text;
  for (const auto &[reason, count] : nodes_by_reason) {
    text += (text.empty() ? "" : "; ") + reason + " (" + std::to_string(count) + "x)";
  }
  facts.tell_unschedulable(a, text);
}

}  // namespace tenon::internal
