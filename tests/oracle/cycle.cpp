// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One decision: from the root down to the first ask that has a node.
#include <algorithm>
#include <utility>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {
namespace {

const tally *find(const std::map<std::string, std::map<std::string, tally>> &all, const std::string &name,
                  const std::string &path) {
  const auto found = all.find(name);
  if (found == all.end() || !found->second.contains(path)) return nullptr;
  return &found->second.at(path);
}

}  // namespace

bool partition::decide() {
  if (paused || state == object_state::stopped) return false;
  if (shared.has.reservations) end_idle_reservations();
  const usage used = measure();
  bool made = (shared.has.reservations && decide_reserved(used)) || (shared.has.gangs && decide_replacement(used));
  if (!made && find_queue("root")->state != object_state::stopped) {
    usage in_turn = used;
    for (reservation &r : reservations) {
      r.by_order = r.goes_by_order;
      if (r.by_order) in_turn.by_order[r.ask] = ask_of_reservation(r).priority;
    }
    made = decide_in(*find_queue("root"), in_turn) || place_left_over(used);
  }
  for (reservation &r : reservations) r.goes_by_order = r.by_order = false;
  return made || (shared.has.preemption && clear_required_nodes(used));
}

bool partition::decide_in(const queue &q, const usage &used) {
  if (q.state == object_state::stopped) return false;
  if (!q.leaf) {
    const auto children = sorted_children(q, used);
    return std::any_of(children.begin(), children.end(), [&](const queue *child) { return decide_in(*child, used); });
  }
  order_here = {};
  for (application *a : sorted_applications(q)) {
    if (!may_run(*a, used)) continue;
    bool looked_at_gang = false;
    for (ask *k : sorted_asks(*a)) {
      const reservation *own = reservation_of(*k);
      const bool held_with_gang = k->placeholder && !reservations_of_gang(*a).empty();
      const bool freed = k->placeholder && is_freed_for_gang(*a);
      const bool in_order = own == nullptr ? !freed : waits_in_order(*a, *k, *own);
      if (in_order && is_kept_back(*a, *k, used)) continue;
      if (shared.has.gangs && k->placeholder && waits_to_begin(*a) && own == nullptr) {
        if (std::exchange(looked_at_gang, true)) continue;
        if (begin_whole(*a, used)) return true;
        if (freed) continue;
        if (!held_with_gang && !order_here.is_one_first && whole_lacks(*a, *k, used) == lack::headroom)
          wait_first(*a, *k);
        refused_at_turn.clear();
        if (has_come(*a) && make_room_for_gang(*a, *k, used)) return true;
        continue;
      }
      if ((own != nullptr && !own->by_order) || (shared.has.gangs && waits_for_placeholders(*a, *k))) continue;
      if (try_ask(*a, *k, used)) return true;
    }
  }
  return false;
}

bool partition::try_ask(application &a, ask &k, const usage &used) {
  refused_at_turn.clear();
  if (!within_limits(a, k, used)) return false;
  const bool within = within_max(a, k, used);
  if (const reservation *own = reservation_of(k)) return place_by_order(a, k, own->node, used);
  if (!within && !order_here.is_one_first) wait_first(a, k);
  if (shared.has.reservations && !k.required_node.empty()) return within && try_required(a, k, used);
  if (const node *n = within ? choose_node(a, k, used) : nullptr; n != nullptr) {
    place(a, k, n->id, chosen_by_order(a, k, *n, used));
    return true;
  }
  if (shared.has.preemption && preempt(a, k, used)) return true;
  const partition_tuning &tuning = config.tuning;
  if (!shared.has.reservations || !within || !tuning.reservation_enabled) return false;
  const bool cluster_is_full = !fits(used.left, k.resources);
  if (reserved_nodes_of(a) >= most_reserved_nodes()) return false;
  if (shared.now_ms < add_saturating(k.create_time_ms, tuning.reservation_delay_ms)) return false;
  if (shared.now_ms < k.reserve_from_ms) return false;
  if (cluster_is_full && !another_may_empty(a)) return false;
  if (!within_max_beside_reserved(a, k, used)) return false;
  const node *n = cluster_is_full ? node_to_empty(a, k, nodes_to_empty(a, k, used), {}) : node_to_reserve(a, k, used);
  if (n == nullptr) return false;
  reserve(a, k, n->id, cluster_is_full);
  return true;
}

bool partition::place_by_order(application &a, ask &k, const std::string &node_id, const usage &used) {
  const node &own = nodes.at(node_id);
  const bool fits_own = fits_in(own, free_on(own, used), k) && predicates_pass(a, k, own, true);
  const node *n = fits_own ? &own : choose_node(a, k, used);
  if (n == nullptr) {
    by_order_on(node_id)->by_order = false;
    return false;
  }
  place(a, k, n->id, fits_own ? detail_map() : chosen_by_order(a, k, *n, used));
  return true;
}

void partition::place(application &a, ask &k, const std::string &node_id, const detail_map &chosen) {
  if (reservation *r = by_order_on(node_id); r != nullptr && r->ask != k.arrival && (r->freed || r->empties)) {
    lose_reservation(r->id, messages::reservation_for_higher(k.key));
  }
  std::optional<reservation> own;
  if (const reservation *r = reservation_of(k); r != nullptr && r->node == node_id) own = *r;
  end_reservation_of(a, k, messages::reservation_used());
  count_for_canary(a, k);
  ++k.placed;
  k.told.clear();
  if (check_deadline_ms > 0) return propose(a, k, node_id, chosen, own);
  allocate(a, k, node_id, chosen, shared.now_ms, {});
}

bool partition::is_stopped(const std::string &of) const {
  const auto path = path_down(of);
  return std::any_of(path.begin(), path.end(),
                     [&](const std::string &at) { return find_queue(at)->state == object_state::stopped; });
}

bool partition::is_full_for(const application &a) const {
  const usage used = measure();
  const auto path = path_down(a.queue);
  return std::any_of(path.begin(), path.end(), [&](const std::string &at) {
    const uint64_t most = find_queue(at)->max_applications;
    return most != 0 && used.of_queue(at).counted >= most;
  });
}

bool partition::may_run(const application &a, const usage &used) const {
  const bool starts = a.state == application_state::accepted && !a.counts_in_queues();
  const std::string group = group_of(a);
  for (const std::string &path : path_down(a.queue)) {
    const queue &q = *find_queue(path);
    if (starts && q.max_applications != 0 && used.of_queue(path).counted >= q.max_applications) return false;
    if (a.runs_for_user()) continue;
    const auto full = [&](const limit_config *limit, const tally *of) {
      return limit != nullptr && of != nullptr && limit->max_applications != 0 &&
             of->for_user >= limit->max_applications;
    };
    if (full(user_limit(q, a.user), find(used.users, a.user, path))) return false;
    if (!group.empty() && full(group_limit(q, group), find(used.groups, group, path))) return false;
  }
  return true;
}

void partition::free_places() {
  for (const auto &a : applications) a->counts = a->counts && (!a->allocations.empty() || a->has_pending());
}

bool partition::within_limits(const application &a, const ask &k, const usage &used) const {
  const std::string group = group_of(a);
  for (const std::string &path : path_down(a.queue)) {
    const queue &q = *find_queue(path);
    const auto within = [&](const limit_config *limit, const tally *of) {
      return limit == nullptr ||
             fits_limit(limit->max_resources, of == nullptr ? amount_map() : of->allocated, k.resources);
    };
    if (!within(user_limit(q, a.user), find(used.users, a.user, path))) return false;
    if (!group.empty() && !within(group_limit(q, group), find(used.groups, group, path))) return false;
  }
  return true;
}

bool partition::within_max(const application &a, const ask &k, const usage &used) const {
  const auto path = path_down(a.queue);
  return std::all_of(path.begin(), path.end(), [&](const std::string &at) {
    return fits_limit(find_queue(at)->max, used.taken_from(at, k), k.resources);
  });
}

bool partition::within_max_beside_reserved(const application &a, const ask &k, const usage &used) {
  const auto path = path_down(a.queue);
  return std::all_of(path.begin(), path.end(), [&](const std::string &at) {
    amount_map taken = used.taken_from(at, k);
    for (const reservation &r : reservations) {
      const auto other = path_down(find_application(r.application)->queue);
      const ask &reserved = ask_of_reservation(r);
      const bool counts = !r.freed && reserved.required_node.empty();
      if (counts && std::find(other.begin(), other.end(), at) != other.end()) add(taken, reserved.resources);
    }
    return fits_limit(find_queue(at)->max, taken, k.resources);
  });
}

std::optional<int64_t> partition::keeps_order_after(const queue &leaf) const {
  const auto said = leaf.properties.find("queue.strict");
  if (said != leaf.properties.end() && lower(said->second) == "true") return 0;
  if (config.tuning.reservation_queue_delay_ms <= 0) return std::nullopt;
  return config.tuning.reservation_queue_delay_ms;
}

bool partition::is_kept_back(const application &owner, const ask &k, const usage &used) const {
  if (order_here.keeps == nullptr) return false;
  const ask &first = *order_here.keeps;
  const bool whole = k.placeholder && waits_to_begin(owner);
  const amount_map own = whole ? pending_placeholders_of(owner) : k.resources;
  for (const std::string &at : path_down(owner.queue)) {
    for (const auto &[type, amount] : order_here.needs) {
      const int64_t more = amount_of(own, type);
      if (amount <= 0 || more <= 0) continue;
      if (!fits_limit(find_queue(at)->max, used.taken_from(at, first), {{type, add_saturating(amount, more)}}))
        return true;
    }
  }
  return false;
}

void partition::wait_first(const application &a, const ask &k) {
  const std::optional<int64_t> after = keeps_order_after(*find_queue(a.queue));
  const amount_map needs = k.placeholder && waits_to_begin(a) ? pending_placeholders_of(a) : k.resources;
  const auto path = path_down(a.queue);
  const bool may_come_to_fit = std::all_of(
      path.begin(), path.end(), [&](const std::string &at) { return fits_limit(find_queue(at)->max, {}, needs); });
  if (!after || !may_come_to_fit) return;
  order_here.is_one_first = true;
  order_here.first = {a.submission, k.key};
  order_here.needs = needs;
  if (shared.now_ms >= add_saturating(k.create_time_ms, *after)) order_here.keeps = &k;
}

namespace {

// These tags of the scheduler interface describe the allocation, not the node.
bool names_an_attribute(const std::string &tag) {
  return tag.starts_with("si/") && tag != "si/application-id" && tag != "si/container-image" &&
         tag != "si/container-ports";
}

}  // namespace

void partition::judge(const application &owner, ask &k) {
  tag_map named;
  for (const auto &tag : k.tags) {
    if (names_an_attribute(tag.first)) named.insert(tag);
  }
  const bool failed = std::any_of(shared.told.begin(), shared.told.end(), [&](const step_answer &a) {
    return a.fault.what == policy_fault::kind::predicate_signature && a.fault.partition == name &&
           a.fault.arrival == k.arrival;
  });
  k.judged_with = {failed ? k.arrival : first_of.emplace(named, k.arrival).first->second, failed};
  judge_by_canary(owner, k);
}

void partition::swap_module(const tenon::swap_module &c) {
  const bool of_predicates = std::any_of(c.policies.begin(), c.policies.end(), [](const swapped_policy &one) {
    return one.kind == module_kind::predicate && one.name == "node-attributes";
  });
  if (!of_predicates) return;
  held_until.clear();
  first_of.clear();
  canary_held_until.clear();
  canary_first_of.clear();
  std::map<uint64_t, std::pair<const application *, ask *>> by_arrival;
  for (const auto &a : applications) {
    for (ask &k : a->asks) by_arrival.emplace(k.arrival, std::pair(a.get(), &k));
  }
  for (const auto &[arrival, one] : by_arrival) judge(*one.first, *one.second);
}

void partition::hold_as_told(uint64_t decision) {
  for (const step_answer &a : shared.told) {
    const bool now = a.what == step_answer::kind::policy_fault && a.at == decision;
    if (now && a.fault.what == policy_fault::kind::predicate && a.fault.partition == name) {
      held_until[{a.fault.arrival, a.fault.alone}] = shared.now_ms + 1000;
    }
    if (now && a.fault.what == policy_fault::kind::canary_predicate && a.fault.partition == name) {
      canary_held_until[{a.fault.arrival, a.fault.alone}] = shared.now_ms + 1000;
    }
    canary_fails |= now && a.fault.what >= policy_fault::kind::canary_node_order && a.fault.partition == name;
  }
}

bool partition::attributes_match(const ask &k, const node &n) const {
  if (const auto held = held_until.find(k.judged_with); held != held_until.end() && shared.now_ms < held->second) {
    return false;
  }
  if (!canary_lets(k, n)) return false;
  return std::all_of(k.tags.begin(), k.tags.end(), [&](const auto &tag) {
    if (!names_an_attribute(tag.first)) return true;
    const auto has = n.attributes.find(tag.first);
    if (has == n.attributes.end()) return false;
    const std::vector<std::string> wanted = split(tag.second, '|');
    return std::find(wanted.begin(), wanted.end(), has->second) != wanted.end();
  });
}

bool partition::predicates_pass(const application &a, const ask &k, const node &n, bool allocate) {
  if (!attributes_match(k, n) || waits_to_start_on(k, n)) return false;
  if (check_deadline_ms > 0) return !is_refused(k, n);
  if (!shared.check || shared.check(handle, a.id, k.key, n.id, allocate)) return true;
  refused_at_turn.insert(n.id);
  return false;
}

// Where the resource manager answers later, nothing else is asked for this ask before it did.
bool partition::may_wait_for(const application &a, const ask &k, const node &n) {
  if (check_deadline_ms == 0 || !shared.reservation_check) return predicates_pass(a, k, n, false);
  if (is_unanswered() || !predicates_pass(a, k, n, false)) return false;
  if (shared.reservation_check(handle, a.id, k.key, n.id, false)) return true;
  refused_at_turn.insert(n.id);
  return false;
}

bool partition::waits_to_start_on(const ask &k, const node &n) const {
  const auto failed = k.failed_on.find(n.id);
  return !inspects && failed != k.failed_on.end() && shared.now_ms < failed->second.until_ms;
}

bool partition::is_refused(const ask &k, const node &n) const {
  if (waits_to_start_on(k, n)) return true;
  return check_deadline_ms > 0 ? refused.contains({k.arrival, n.id}) : refused_at_turn.contains(n.id);
}

const node *partition::choose_node(const application &a, const ask &k, const usage &used) {
  for (const node *n : sorted_nodes(a, k, used)) {
    const bool allowed = k.required_node.empty() ? n->schedulable : n->id == k.required_node;
    if (allowed && may_use(*n, k, used) && fits_in(*n, free_on(*n, used), k) && predicates_pass(a, k, *n, true))
      return n;
  }
  return nullptr;
}

}  // namespace tenon::naive
