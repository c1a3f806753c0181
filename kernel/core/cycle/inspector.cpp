// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "cycle/inspector.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core.hpp"
#include "cycle/policy_faults.hpp"
#include "cycle/whole_gang.hpp"
#include "model/gang_start.hpp"
#include "model/may_run.hpp"
#include "model/queue_headroom.hpp"
#include "model/queue_properties.hpp"
#include "outbound/fact_teller.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/fresh_keys.hpp"
#include "rules/headroom.hpp"
#include "rules/lifecycles.hpp"
#include "rules/node_search.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placement_checks.hpp"

namespace tenon::internal {
namespace {

// Sorts queues or applications by their keys, ties by what `number` gives. Leaves out what waits for nothing, and what
// an order holds back, unless it is stopped.
template <class Item, class Keys, class Stopped, class Number>
std::vector<Item *> in_order(std::vector<Item *> items, const Keys &keys, Stopped &&is_stopped, Number &&number) {
  std::erase_if(items, [&](const Item *item) {
    return item->pending->empty() || (keys.at(item).held_back() && !is_stopped(*item));
  });
  std::sort(items.begin(), items.end(), [&](const Item *x, const Item *y) {
    const int order = keys.at(x).compare(keys.at(y));
    return order != 0 ? order < 0 : number(*x) < number(*y);
  });
  return items;
}

// Tells a listener that an ask is over a limit now, or, with `max` and `used` null, that it is not any more.
void tell_limit(const fact_teller &facts, ask &a, ask_limit which, const resources *max, const resources *used) {
  if ((max != nullptr) == fact_teller::is_known_over(a, which)) return;
  if (max == nullptr) return facts.tell_fits(a, which);
  resources left;
  for_each_type(*max, [&](type_index t, int64_t amount) { left.set(t, sub_saturating(amount, (*used)[t])); });
  facts.tell_over(a, which, left);
}

}  // namespace

// What one part of a round has seen, or all of the round.
struct inspector::inspection {
  uint64_t most = 0, room = 0;  // so many applications and asks, in all and from now on
  size_t done = 0;              // leaves of the round
  inspection_place at;          // in the next one
  // What the asks looked at so far would take if there were nodes for them.
  std::map<const queue *, resources> queues;       // any order: looked up, and walked to be sorted by name
  std::map<const usage_node *, resources> users;   // any order: the same
  std::map<const usage_node *, resources> groups;  // any order: the same
  std::map<uint32_t, bool> nodes;                  // by class: is one there for it?
  std::map<uint32_t, std::string> refusals;        // by class: why no node passes the predicates, or ""
  std::vector<std::pair<ask *, container_word>> words;
  std::vector<ask *> tried;    // of applications that are not held
  const ask *first = nullptr;  // in the leaf, of those that lack headroom, where it keeps the order of its asks
  std::vector<class_amount> first_needs;
  bool first_keeps_back = false;  // others
  // What the placeholders of the gang looked at last wait for, if it does not begin.
  std::map<const ask *, container_word> gang;  // any order: looked up, never walked
};

// One limit that an application counts for, what is used of it, and what the asks looked at so far would take of it.
// The limits of its user and group come before those of queues.
struct inspector::limit_above {
  const resources *max;
  const resources *used;  // null: by the queue
  const queue *of;
  resources *more;

  [[nodiscard]] int64_t room_for(const ask &a, type_index t) const {
    const int64_t there = of != nullptr ? used_by_others(*of, a, t) : (*used)[t];
    return sub_saturating(sub_saturating((*max)[t], there), (*more)[t]);
  }
  // How many allocations of the ask fit into the limit, at most as many as are pending.
  [[nodiscard]] int64_t room_for(const ask &a, const ask_class &c) const {
    int64_t out = a.pending();
    for (const class_amount &p : c.positive) {
      if (max->has(p.type)) out = std::min(out, room_for(a, p.type) / p.amount);
    }
    return out;
  }
};

// The applications of one leaf that one part looks at.
struct inspector::leaf_part {
  std::vector<application *> applications;  // by submission
  // If there is only one application, the part may begin and end among its asks:
  std::optional<ask_place> after;  // its asks behind this one
  size_t most_asks = SIZE_MAX;
  const ask *last = nullptr;  // the last ask looked at, if `most_asks` ended the part
};

std::vector<inspector::limit_above> inspector::limits_above(const application &app, inspection &seen) const {
  std::vector<limit_above> out;
  const auto add = [&](usage_node *of, auto &all, std::string limit_name::*who) {
    for (usage_node *u = of; u != nullptr; u = u->parent) {
      if (u->max.empty()) continue;
      const auto [known, fresh] = all.try_emplace(u);
      if (fresh && !round_.taken.empty()) {
        limit_name name{u->where->path, {}, {}};
        name.*who = u->of->name;
        known->second = round_.taken_within(name, types);
      }
      out.push_back({&u->max, &*u->usage, nullptr, &known->second});
    }
  };
  add(app.user_usage, seen.users, &limit_name::user);
  add(app.group_usage, seen.groups, &limit_name::group);
  for (queue *q = app.home; q->parent != nullptr; q = q->parent) {
    if (!q->max.empty()) out.push_back({&q->max, nullptr, q, &taken_in(*q, seen)});
  }
  return out;
}

resources &inspector::taken_in(const queue &q, inspection &seen) const {
  const auto [known, fresh] = seen.queues.try_emplace(&q);
  if (fresh && !round_.taken.empty()) known->second = round_.taken_within({q.path, {}, {}}, types);
  return known->second;
}

void inspector::inspect(bool stopped, uint32_t most) {
  stopped |= root->state == object_state::stopped;
  if (most == 0) round_ = {};
  const bool begins = round_.is_over();
  checks.ask_nobody(true);
  inspection seen;
  for (;;) {
    const size_t retired = faults.retired();
    const uint64_t failed = verdicts.faults();
    seen = {};
    seen.most = seen.room = most == 0 ? UINT64_MAX : most;
    seen.at = round_.at;
    if (begins) {
      round_.leaves.clear();
      collect_leaves(*root, stopped, round_.leaves);
    }
    inspect_leaves(seen, stopped);
    // If a policy failed, the part is done again as if the policy had failed before it.
    if (faults.retired() == retired && verdicts.faults() == failed) break;
  }
  checks.ask_nobody(false);
  for (const auto &[a, word] : seen.words) tell_word(*a, word);
  for (ask *a : seen.tried) tell_limits_of(*a);
  keep_round(seen);
}

// Keeps what the next part has to know.
void inspector::keep_round(inspection &seen) {
  if (seen.done == round_.leaves.size()) return end_round();
  round_.leaves.erase(round_.leaves.begin(), round_.leaves.begin() + static_cast<ptrdiff_t>(seen.done));
  round_.at = seen.at;
  round_.first_of = seen.first == nullptr ? 0 : seen.first->owner->submission;
  round_.first_key = seen.first == nullptr ? std::string_view() : seen.first->key.view();
  const auto keep = [&](limit_name name, const resources &amounts) {
    if (!amounts.empty()) round_.taken[std::move(name)] = configured_values(amounts, types);
  };
  for (const auto &[q, amounts] : seen.queues) keep({q->path, {}, {}}, amounts);
  for (const auto &[u, amounts] : seen.users) keep({u->where->path, u->of->name, {}}, amounts);
  for (const auto &[u, amounts] : seen.groups) keep({u->where->path, {}, u->of->name}, amounts);
}

void inspector::collect_leaves(const queue &q, bool stopped, std::vector<std::string> &out) const {
  if (q.leaf) return out.push_back(q.path);
  std::vector<queue *> children;
  for (const auto &child : q.children) children.push_back(child.get());
  const auto sequence = [](const queue &child) { return child.sequence; };
  bool ok = true;
  const auto fresh = keys.of_children(q, &ok);
  if (!ok) return faults.failed(*q.order);
  const auto is_stopped = [&](const queue &child) { return stopped || child.state == object_state::stopped; };
  for (const queue *child : in_order(std::move(children), fresh, is_stopped, sequence))
    collect_leaves(*child, is_stopped(*child), out);
}

void inspector::inspect_leaves(inspection &seen, bool stopped) {
  for (; seen.done < round_.leaves.size(); ++seen.done) {
    queue *leaf = queues.find_queue(round_.leaves[seen.done]);
    seen.first = nullptr;
    if (leaf != nullptr && leaf->leaf) {
      if (seen.done == 0) find_first(*leaf, seen);
      if (!inspect_leaf(*leaf, seen, stopped)) return;
    }
    seen.at = {};
  }
}

// The part before may have found the first ask of the leaf.
void inspector::find_first(const queue &leaf, inspection &seen) const {
  const application *app = round_.first_of == 0 ? nullptr : leaf.apps.find(round_.first_of);
  const ask *first = app == nullptr ? nullptr : app->asks.find(std::string_view(round_.first_key));
  if (first != nullptr && first->pending() > 0) wait_first(*first, seen);
}

// Looks at an application that has parts of its own.
void inspector::inspect_large(const queue &leaf, application &app, inspection &seen, bool stopped) {
  const bool goes_on = seen.at.within && seen.at.application == app.submission;
  leaf_part one{{&app}, goes_on ? seen.at.within : std::nullopt, seen.most};
  if (waits_to_begin(app, classes)) one.most_asks = SIZE_MAX;
  inspect_some(leaf, one, seen, stopped);
  if (one.last == nullptr) {
    seen.at = {app.submission, {}, 0};
  } else {
    seen.at.within = {one.last->priority, one.last->create_time_ms, one.last->arrival};
    seen.at.application = app.submission;
  }
}

// Returns false once the part is full.
bool inspector::inspect_leaf(queue &leaf, inspection &seen, bool stopped) {
  for (const queue *q = &leaf; q != nullptr; q = q->parent) stopped |= q->state == object_state::stopped;
  const auto size_of = [](const application &app) { return 1 + app.priorities.size(); };
  const auto end = leaf.apps.end();
  // An application with a smaller number that moved here since the last part waits for the next round.
  auto next = leaf.apps.after(seen.at.within ? seen.at.application - 1 : seen.at.submission);
  const bool goes_on = next != end && seen.at.within && seen.at.application == (*next)->submission;
  if (goes_on || (next != end && size_of(**next) > seen.most)) {
    if (seen.room == seen.most) inspect_large(leaf, **next, seen, stopped);
    return false;
  }
  const uint64_t room = seen.room;
  leaf_part some;
  for (; next != end && size_of(**next) <= seen.room; ++next) {
    seen.room -= size_of(**next);
    some.applications.push_back(*next);
  }
  // An application that one part can hold is never cut.
  if (next != end && (some.applications.empty() || (seen.at.submission == 0 && room < seen.most))) return false;
  inspect_some(leaf, some, seen, stopped);
  if (next != end) seen.at = {some.applications.back()->submission, {}, 0};
  return next == end;
}

void inspector::tell_word(ask &a, container_word word) {
  if (word != a.told()) changes.apply(ask_told{a, word});
}

void inspector::inspect_some(const queue &leaf, leaf_part &some, inspection &seen, bool stopped) {
  bool ok = true;
  const auto fresh = keys.of_applications(leaf, some.applications, &ok);
  if (!ok) return faults.failed(*leaf.order);
  std::vector<application *> apps = some.applications;
  if (!stopped) std::erase_if(apps, [](const application *app) { return !app->runs(); });
  const auto submission = [](const application &app) { return app.submission; };
  const auto is_stopped = [&](const application &) { return stopped; };
  for (application *app : in_order(std::move(apps), fresh, is_stopped, submission))
    inspect_application(*app, some, seen, stopped);
}

void inspector::inspect_application(application &app, leaf_part &some, inspection &seen, bool stopped) {
  const bool full = full_queue_of(app) != nullptr;
  const bool held = full || full_limit_of(app) != nullptr;
  if (!stopped) facts.tell_held(app, full, held);
  const std::vector<ask *> waiting = asks_behind(app, some.after, some.most_asks, stopped);
  if (waiting.empty()) return;
  if (waiting.size() == some.most_asks) some.last = waiting.back();
  const bool is_passed_over = held || stopped;
  const auto above = is_passed_over ? std::vector<limit_above>() : limits_above(app, seen);
  const bool begins = !is_passed_over && waits_to_begin(app, classes);
  const resources together = begins ? need_of_gang(app, classes) : resources();
  bool looked_at_gang = false;
  uint32_t beyond = no_class;  // what is beyond a limit stays so: the asks after it only leave less
  for (ask *a : waiting) {
    const ask_class &c = classes[a->class_id];
    const bool with_gang = begins && a->placeholder;
    const bool is_beyond = !with_gang && c.id == beyond;
    container_word word = container_word::skipped;
    if (!is_passed_over && !is_beyond && !is_kept_back(*app.home, with_gang ? together : c.need, seen)) {
      if (with_gang) {
        if (!std::exchange(looked_at_gang, true)) look_at_gang(app, above, seen);
        word = seen.gang.at(a);
      } else {
        word = word_for(*a, above, seen);
        if (word == container_word::skipped) beyond = c.id;
      }
    }
    if (word != container_word::none) seen.words.emplace_back(a, word);
    if (facts.listened() && !is_passed_over) seen.tried.push_back(a);
    if (word == container_word::failed) tell_unschedulable(*a, seen);
  }
}

// Does the same as kept_orders, but counts what the asks looked at so far would take.
bool inspector::is_kept_back(queue &leaf, const resources &need, inspection &seen) const {
  if (seen.first == nullptr || !seen.first_keeps_back) return false;
  const auto room_in = [&](const queue &q, type_index t) {
    return q.max.has(t) ? limit_above{&q.max, nullptr, &q, &taken_in(q, seen)}.room_for(*seen.first, t) : INT64_MAX;
  };
  return kept_back_by(seen.first_needs, leaf, need, room_in).in != nullptr;
}

void inspector::wait_first(const ask &a, inspection &seen) const {
  const auto after_ms = keeps_order_after_ms(*a.owner->home, config.tuning);
  if (!after_ms || seen.first != nullptr) return;
  std::vector<class_amount> needs = needs_in_order(a, classes);
  if (!holds_when_empty(*a.owner->home, needs)) return;
  seen.first = &a;
  seen.first_needs = std::move(needs);
  seen.first_keeps_back = add_saturating(a.create_time_ms, *after_ms) <= shared.now_ms;
}

// How many allocations of the ask are within the limits. If a queue lacks headroom even for one, the ask may be the
// first in its leaf.
int64_t inspector::count_within(const ask &a, const ask_class &c, const std::vector<limit_above> &above,
                                inspection &seen) const {
  int64_t fits = a.pending();
  for (const limit_above &limit : above) {
    fits = std::min(fits, limit.room_for(a, c));
    if (fits > 0) continue;
    if (limit.of != nullptr) wait_first(a, seen);
    break;
  }
  return fits;
}

container_word inspector::word_for(ask &a, const std::vector<limit_above> &above, inspection &seen) {
  ask_class &c = classes[a.class_id];
  const int64_t fits = count_within(a, c, above, seen);
  if (fits <= 0) return container_word::skipped;
  if (c.requires_a_node()) return container_word::none;
  if (is_node_there(a, c, seen)) return container_word::none;
  const resources taken = multiply(c.need, fits);
  for (const limit_above &limit : above) *limit.more += taken;
  return container_word::failed;
}

// Finds out what a gang that begins whole waits for. No node is looked for if all of it exceeds a limit.
void inspector::look_at_gang(const application &app, const std::vector<limit_above> &above, inspection &seen) {
  const std::vector<ask *> asks = whole_gang::pending_of(app);
  resources taken;
  const auto take = [&](const resources &more, int64_t times) {
    for (const limit_above &limit : above) limit.more->add_times(more, times);
  };
  const bool has_come = gang_has_come(app, classes);
  if (has_come && counts_as_one(app, classes))
    (void)count_within(*asks.front(), class_of_gang(app, classes), above, seen);
  const bool within =
      has_come && std::all_of(asks.begin(), asks.end(), [&](const ask *a) {
        const ask_class &c = classes[a->class_id];
        const auto is_full = [&](const limit_above &limit) { return limit.room_for(*a, c) < a->pending(); };
        if (std::any_of(above.begin(), above.end(), is_full)) return false;
        taken.add_times(c.need, a->pending());
        take(c.need, a->pending());
        return true;
      });
  const auto without = within ? whole_gang.without_place(asks) : std::vector<const ask *>();
  const bool waits_for_nodes = std::any_of(without.begin(), without.end(),
                                           [&](const ask *a) { return !classes[a->class_id].requires_a_node(); });
  if (!waits_for_nodes) take(taken, -1);
  const bool begins = within && without.empty();
  seen.gang.clear();
  for (const ask *a : asks) seen.gang[a] = begins ? container_word::none : container_word::skipped;
  for (const ask *a : without) {
    if (!classes[a->class_id].requires_a_node()) seen.gang[a] = container_word::failed;
  }
}

bool inspector::is_node_there(ask &a, ask_class &c, inspection &seen) {
  if (c.blocked) return false;
  const auto [known, fresh] = seen.nodes.try_emplace(c.id, false);
  bool refused = false;
  if (fresh) known->second = static_cast<bool>(search.find(c, a, refused));
  return known->second;
}

// Tells a listener which limits the ask is over now.
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

void inspector::tell_unschedulable(ask &a, inspection &seen) {
  const ask_class &c = classes[a.class_id];
  if (c.judged == nullptr || !facts.may_say_why_unplaced(a)) return;
  const auto [known, fresh] = seen.refusals.try_emplace(c.id);
  if (fresh) known->second = verdicts.refusals_of(c);
  if (!known->second.empty()) facts.tell_unschedulable(a, known->second);
}

}  // namespace tenon::internal
