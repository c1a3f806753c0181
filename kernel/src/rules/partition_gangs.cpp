// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Gangs: what the task groups of an application hold, and pass B of the cycle, which puts real asks in the place
// of placeholders. Applications in which something can be replaced are in one heap; one in which nothing could be
// is stuck, and not looked at before something changes for it.
#include <algorithm>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::internal {

// -- Task groups. --

task_group *partition::group_named(application &app, std::string_view group) {
  if (group.empty()) return nullptr;
  auto found = app.task_groups.find(group);
  if (found == app.task_groups.end()) {
    found = app.task_groups.emplace(std::string(group), task_group{}).first;
    found->second.name = found->first;
    found->second.owner = &app;
  }
  return &found->second;
}

bool partition::waits_for_placeholders(const ask &a) {
  return a.gang != nullptr && !a.placeholder && a.gang->in_force();
}

// With the first placeholder its real asks begin to wait, with the last one they stop.
void partition::count_placeholders(task_group &g, int64_t pending, int64_t held) {
  const bool before = g.in_force();
  touched(*g.owner);
  g.pending += pending;
  g.held += held;
  if (g.in_force() == before) return;
  std::vector<ask *> concerned(g.waiting.begin(), g.waiting.end());
  if (!before) {
    for (const auto &[key, a] : g.owner->asks) {  // any order: sorted next
      if (a->gang == &g && !a->placeholder && a->line != ask_line::none) concerned.push_back(a);
    }
    std::sort(concerned.begin(), concerned.end(), [](const ask *x, const ask *y) { return tried_before(*x, *y); });
  }
  for (ask *a : concerned) {
    lines.dequeue(*a);
    lines.enqueue(*a);
  }
}

void partition::count_size(task_group &g, uint32_t class_id, int sign) {
  const auto same = std::find_if(g.sizes.begin(), g.sizes.end(), [&](const auto &s) { return s.first == class_id; });
  if (same == g.sizes.end()) {
    g.sizes.emplace_back(class_id, 1);
  } else if (sign > 0) {
    ++same->second;
  } else if (--same->second == 0) {
    g.sizes.erase(same);
  }
}

void partition::hold_placeholder(allocation &a) {
  ++a.owner->placeholder_count;
  note_size(*a.gang, a.class_id);
  if (a.state != allocation_state::allocated) return count_placeholders(*a.gang, 0, 1);
  a.gang->allocated.insert(&a);
  count_size(*a.gang, a.class_id, 1);
  count_placeholders(*a.gang, 0, 1);
  look_at_refused(*a.gang);
}

// It is Allocated, and nothing is proposed in its place.
void partition::make_available(allocation &a) {
  a.gang->allocated.insert(&a);
  count_size(*a.gang, a.class_id, 1);
  look_at_refused(*a.gang);
}

// The node of a placeholder is one more that the RM may agree with.
void partition::look_at_refused(task_group &g) {
  const std::vector<ask *> refused(g.owner->aside.begin(), g.owner->aside.end());
  for (ask *one : refused) {
    if (one->gang != &g) continue;
    lines.dequeue(*one);
    lines.enqueue(*one);
  }
  group_changed(g, true);
}

void partition::leave_allocated(allocation &a) {
  a.gang->allocated.erase(&a);
  count_size(*a.gang, a.class_id, -1);
  group_changed(*a.gang, false);
}

void partition::let_placeholder_go(allocation &a) {
  task_group &g = *a.gang;
  if (a.state == allocation_state::allocated) leave_allocated(a);
  ++(a.under_way != nullptr ? g.replaced : g.timed_out);
  --a.owner->placeholder_count;
  count_placeholders(g, 0, -1);
}

// -- Which applications pass B looks at. --

// `more`: what could not be done may be possible now.
void partition::group_changed(task_group &g, bool more) {
  application &app = *g.owner;
  const bool in_play = !g.waiting.empty() && !g.allocated.empty();
  if (in_play != g.in_play) {
    g.in_play = in_play;
    if (in_play) {
      app.groups_in_play.push_back(&g);
    } else {
      std::erase(app.groups_in_play, &g);
    }
  }
  if (more && app.gang_stuck) {
    std::erase(stuck_gangs, &app);
    app.gang_stuck = false;
  }
  gang_changed(app);
}

void partition::gang_changed(application &app) {
  const bool wanted = !app.groups_in_play.empty() && app.runs() && !in_stopped_queue(app);
  if (wanted) {
    if (!app.gang_stuck && !gangs.contains(&app)) gangs.push(&app);
  } else if (app.gang_stuck) {
    std::erase(stuck_gangs, &app);
    app.gang_stuck = false;
  } else if (gangs.contains(&app)) {
    gangs.erase(&app);
  }
}

void partition::wake_gangs() {
  for (application *app : std::exchange(stuck_gangs, {})) {
    app->gang_stuck = false;
    gang_changed(*app);
  }
}

// -- Pass B. --

bool partition::decide_replacement() {
  while (!gangs.empty()) {
    application &app = *gangs.top();
    if (replace_in(app)) return true;
    if (!gangs.contains(&app)) continue;
    gangs.erase(&app);
    app.gang_stuck = true;
    stuck_gangs.push_back(&app);
  }
  return false;
}

// The asks that wait in all groups in play, in their order: the first for which something can be done.
bool partition::replace_in(application &app) {
  for (task_group *g : app.groups_in_play) {
    g->next = 0;
    g->hopeless.clear();
  }
  std::vector<ask *> refused;
  bool done = false;
  while (!done) {
    task_group *first = nullptr;
    for (task_group *g : app.groups_in_play) {
      if (g->next == g->waiting.size()) continue;
      if (first == nullptr || tried_before(*g->waiting.begin()[g->next], *first->waiting.begin()[first->next]))
        first = g;
    }
    if (first == nullptr) break;
    ask &a = *first->waiting.begin()[first->next++];
    bool rm_refuses = false;
    done = replace_one(a, *first, rm_refuses);
    if (!done && rm_refuses) refused.push_back(&a);
  }
  for (ask *a : refused) lines.set_aside(*a);
  return done;
}

bool partition::replace_one(ask &a, task_group &g, bool &rm_refuses) {
  ask_class &c = classes[a.class_id];
  // What is known of a class leaves out the node that is kept for the ask.
  const reservation *own = reservations.of(a);
  const bool own_holds = own != nullptr && nodes.usable(own->where->slot) && nodes.holds(c, own->where->slot);
  if (!own_holds && std::find(g.hopeless.begin(), g.hopeless.end(), c.id) != g.hopeless.end()) return false;
  ++shared.counters.asks_examined;
  if (release_too_small(a, c, g)) return true;
  for (allocation *placeholder : g.allocated) {
    const bool allowed = c.required_node.empty() || c.required_node == placeholder->where->id;
    held_list devices;
    if (!allowed || !take_over_devices(c, *placeholder, devices) || !passes(c, placeholder->where->slot)) continue;
    if (!rm_agrees(a, *placeholder->where, false)) {
      rm_refuses = true;
      continue;
    }
    replace(a, *placeholder, *placeholder->where, devices);
    return true;
  }
  if (!c.blocked || own_holds) {
    bool search_refused = false;
    if (node *n = search(c, a, search_refused); n != nullptr) {
      replace(a, *g.allocated.first(), *n, {});
      return true;
    }
    rm_refuses |= search_refused;
    if (!search_refused && !c.blocked) ready.block(c);
  }
  c.gangs_wait = true;
  if (!rm_refuses) g.hopeless.push_back(c.id);
  return false;
}

bool partition::release_too_small(const ask &a, const ask_class &c, const task_group &g) {
  const auto small = [&](uint32_t class_id) { return !fit_in(classes[class_id].need, c.need); };
  if (std::none_of(g.sizes.begin(), g.sizes.end(), [&](const auto &s) { return small(s.first); })) return false;
  const std::vector<allocation *> all(g.allocated.begin(), g.allocated.end());
  for (allocation *placeholder : all) {
    if (!small(placeholder->class_id)) continue;
    tell_placeholder_small(*placeholder, a, c);
    expire(*placeholder, keep(messages::placeholder_too_small()));
  }
  return true;
}

// -- Replacements under way. --

// `devices`: of the placeholder, where it is the same node.
void partition::replace(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  if (check_deadline_ms > 0) return propose_replacement(a, placeholder, n, devices);
  node *kept = reservations.use(a);
  emit_allocation(decision_kind::released, placeholder, termination::placeholder_replaced,
                  keep(messages::replacing(a.key)));
  placeholder.under_way = &make_replacement(a, placeholder, n, devices);
  move(placeholder, allocation_event::replace);
  count_placed(a);
  if (kept != nullptr) reservations.reopen(*kept);
}

replacement &partition::make_replacement(ask &a, allocation &placeholder, node &n, const held_list &devices) {
  replacement &r = replacements.create();
  r.placeholder = &placeholder;
  r.real = &a;
  r.where = &n;
  r.terms = terms_of(a);
  ++a.under_way;
  ++a.owner->under_way;
  if (r.elsewhere()) {
    n.coming.push_back(&r);
    const ask_class &c = classes[a.class_id];
    apply(room_taken{n, c});
    if (n.divided) assign_devices(r.devices, n, c, {}, true);
  } else {
    keep_devices(r.devices, devices);
  }
  return r;
}

// It is not under way any more, and holds no room.
void partition::end_replacement(replacement &r) {
  --r.real->under_way;
  --r.real->owner->under_way;
  if (r.elsewhere()) {
    node &n = *r.where;
    std::erase(n.coming, &r);
    apply(room_given{n, classes[r.terms.class_id].need});
    apply(node_stored{n});
  }
  free_devices(r.devices, r.elsewhere() ? r.where : nullptr);
  replacements.retire(r);
}

// The placeholder goes, and what replaces it comes.
void partition::replace_now(allocation &placeholder, allocation_event how) {
  replacement &r = *placeholder.under_way;
  free_devices(placeholder.devices, placeholder.where);
  const allocation &x = place_replacement(r);
  remove_allocation(placeholder, how);
  stand_in(x, r.terms);
}

allocation &partition::place_replacement(replacement &r) {
  const std::string_view detail = detail_of(r.devices);  // readable until flush()
  end_replacement(r);
  allocation &x = place_on(*r.real, *r.where, r.terms, shared.now_ms, detail);
  x.replaced = true;
  x.placeholder_created_ms = r.placeholder->create_time_ms;
  return x;
}

// The first one of an application changes its state no more than its placeholder did.
void partition::stand_in(const allocation &x, const allocation_terms &terms) {
  announce(x, terms);
  application &app = *x.owner;
  if (real_allocations(app) > 1) {
    after_placing(app, x);
  } else {
    run_short_gang(app);
  }
}

// What is none of placeholders, and nothing that the RM checks still.
size_t partition::real_allocations(const application &app) {
  size_t real = app.allocations.size() - app.placeholder_count;
  for (const proposal &p : app.proposals) real -= p.made != nullptr && !p.is_placeholder() ? 1 : 0;
  return real;
}

// A gang runs when all that its placeholder ask names is allocated; and, where fewer placeholders came, once real work
// of it is there and no placeholder is to come.
void partition::run_short_gang(application &app) {
  if (app.state != application_state::accepted || app.allocations.empty()) return;
  const auto to_come = [](const auto &item) { return item.second.pending > 0; };
  const auto unanswered = [](const proposal &p) { return p.is_placeholder(); };
  if (std::any_of(app.task_groups.begin(), app.task_groups.end(), to_come) ||
      std::any_of(app.proposals.begin(), app.proposals.end(), unanswered)) {
    return;
  }
  if (real_allocations(app) != 0) run(app, messages::gang_runs());
}

void partition::break_replacement(allocation &placeholder, bool pending_again, const node *dying) {
  replacement &r = *placeholder.under_way;
  ask &a = *r.real;
  node &n = *r.where;
  const bool gives_room = r.elsewhere() && &n != dying;
  end_replacement(r);
  placeholder.under_way = nullptr;
  touched(placeholder);
  if (pending_again) unplace(a);
  forget_if_done(a);
  if (gives_room) apply(node_changed{n});
}

// Those by one ask, or all of the application. False: there were none.
bool partition::break_replacements(application &app, const ask *only, bool pending_again) {
  if ((only != nullptr ? only->under_way : app.under_way) == 0) return false;
  for (allocation *placeholder : by_sequence(app.allocations)) {
    if (placeholder->under_way == nullptr || (only != nullptr && placeholder->under_way->real != only)) continue;
    break_replacement(*placeholder, pending_again, nullptr);
  }
  return true;
}

}  // namespace tenon::internal
