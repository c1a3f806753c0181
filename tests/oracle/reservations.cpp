// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: docs/decisions-preemption.md, sections 1 and 2.
#include <algorithm>
#include <set>

#include "partition.hpp"
#include "tenon/kernel/messages.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::naive {

const reservation *partition::reservation_of(const ask &k) const {
  const auto found = std::find_if(reservations.begin(), reservations.end(),
                                  [&](const reservation &r) { return r.ask == k.arrival && !r.of_gang; });
  return found == reservations.end() ? nullptr : &*found;
}

std::vector<reservation> partition::reservations_of_gang(const application &a) const {
  std::vector<reservation> out;
  std::copy_if(reservations.begin(), reservations.end(), std::back_inserter(out),
               [&](const reservation &r) { return r.of_gang && r.application == a.uid; });
  return out;
}

const ask &partition::claimant_of(const application &a, const ask &k) const {
  const std::vector<reservation> all = reservations_of_gang(a);
  return k.placeholder && !all.empty() ? ask_of_reservation(all.front()) : k;
}

bool partition::claims_room(const ask &k) const {
  const reservation *r = reservation_of(k);
  return r != nullptr && (r->freed || has_victims_under_way(k));
}

std::vector<reservation> partition::reservations_on(const std::string &node_id) const {
  std::vector<reservation> out;
  std::copy_if(reservations.begin(), reservations.end(), std::back_inserter(out),
               [&](const reservation &r) { return r.node == node_id; });
  return out;
}

namespace {

ask &ask_of(application &a, const reservation &r) {
  return *std::find_if(a.asks.begin(), a.asks.end(), [&](const ask &k) { return k.arrival == r.ask; });
}

}  // namespace

ask &partition::ask_of_reservation(const reservation &r) const {
  const auto holder =
      std::find_if(applications.begin(), applications.end(), [&](const auto &a) { return a->uid == r.application; });
  return ask_of(**holder, r);
}

void partition::reserve(application &a, ask &k, const std::string &node_id, bool empties) {
  const reservation &r =
      reservations.emplace_back(reservation{next_reservation++, a.uid, k.arrival, node_id, false, empties});
  k.told.clear();
  decision &d = emit(decision_kind::reserved, a.id, k.key);
  d.node = node_id;
  d.queue = a.queue;
  d.placeholder = k.placeholder;
  arm_reservation(r.id, wait_ends_ms());
}

bool partition::is_freed_for_gang(const application &a) const {
  const std::vector<reservation> all = reservations_of_gang(a);
  return !all.empty() && all.front().freed;
}

void partition::reserve_for_gang(application &a, ask &k, const std::string &node_id, bool empties) {
  reserve(a, k, node_id, empties);
  reservations.back().of_gang = true;
  reservations.back().freed = !empties;
}

int64_t partition::wait_ends_ms() const {
  return add_saturating(shared.now_ms, std::max<int64_t>(1, config.tuning.reservation_wait_ms));
}

void partition::arm_reservation(uint64_t id, int64_t due_ms) {
  timer t{due_ms, 0, timer_kind::reservation_wait, this};
  t.reservation = id;
  shared.arm(t);
}

// Those of a gang end together, this one first.
void partition::end_reservation(uint64_t id, const std::string &why) {
  const auto at =
      std::find_if(reservations.begin(), reservations.end(), [&](const reservation &r) { return r.id == id; });
  if (at == reservations.end()) return;  // it ended with another one
  const reservation first = *at;
  end_one_reservation(id, why);
  if (!first.of_gang) return;
  const bool waited = why == messages::reservation_waited(first.node);
  const std::vector<reservation> others = reservations_of_gang(*find_application(first.application));
  for (auto r = others.rbegin(); r != others.rend(); ++r) {
    end_one_reservation(r->id, waited ? messages::reservation_waited(r->node) : why);
  }
}

void partition::end_one_reservation(uint64_t id, const std::string &why) {
  const auto at =
      std::find_if(reservations.begin(), reservations.end(), [&](const reservation &r) { return r.id == id; });
  const reservation gone = *at;
  reservations.erase(at);
  let_try_again();
  if (why != messages::reservation_used()) {
    for (const auto &each : applications) {
      for (allocation &x : each->allocations) {
        if (x.victim_of == gone.ask) x.victim_of = 0;
      }
    }
  }
  shared.disarm(
      [&](const timer &t) { return t.where == this && t.kind == timer_kind::reservation_wait && t.reservation == id; });
  const application &a = *find_application(gone.application);
  const auto k = std::find_if(a.asks.begin(), a.asks.end(), [&](const ask &one) { return one.arrival == gone.ask; });
  decision &d = emit(decision_kind::unreserved, a.id, k->key);
  d.node = gone.node;
  d.queue = a.queue;
  d.placeholder = k->placeholder;
  d.text = why;
}

void partition::let_try_again() {
  for (const auto &a : applications) {
    for (ask &k : a->asks) {
      if (k.held_off) k.preempt_from_ms = INT64_MIN;
      k.held_off = false;
    }
  }
}

void partition::end_reservation_of(const application &a, const ask &k, const std::string &why) {
  const std::vector<reservation> of_gang = reservations_of_gang(a);
  if (std::any_of(of_gang.begin(), of_gang.end(), [&](const reservation &r) { return r.ask == k.arrival; }))
    end_reservation(of_gang.front().id, why);
  if (const reservation *r = reservation_of(k)) end_reservation(r->id, why);
}

void partition::end_reservations_of(const application &a, const std::string &why) {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    if (r.application == a.uid) end_reservation(r.id, why);
  }
}

void partition::switch_off_reservations() {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    if (!r.freed && ask_of(*find_application(r.application), r).required_node.empty())
      end_reservation(r.id, messages::reservations_off());
  }
}

size_t partition::most_reserved_nodes() const {
  const size_t most = config.tuning.reservation_max_nodes;
  if (most == partition_tuning::tenth_of_nodes) return std::max<size_t>(1, nodes.size() / 10);
  return most == 0 ? SIZE_MAX : most;
}

size_t partition::reserved_nodes_of(const application &a) const {
  std::set<std::string> of_gang;
  for (const reservation &r : reservations_of_gang(a)) of_gang.insert(r.node);
  return of_gang.size() + static_cast<size_t>(std::count_if(a.asks.begin(), a.asks.end(), [&](const ask &k) {
           return k.required_node.empty() && reservation_of(k) != nullptr;
         }));
}

void partition::end_reservations_of_gangs_that_do_not_wait() {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    if (r.of_gang && !waits_to_begin(*find_application(r.application)))
      end_reservation(r.id, messages::reservation_may_not_run());
  }
}

void partition::end_too_many_reservations() {
  std::vector<reservation> all = reservations;
  std::reverse(all.begin(), all.end());
  for (const reservation &r : all) {
    const application &a = *find_application(r.application);
    const bool counts = !r.freed && ask_of_reservation(r).required_node.empty();
    if (counts && reserved_nodes_of(a) > most_reserved_nodes())
      end_reservation(r.id, messages::reservations_too_many());
  }
}

void partition::end_idle_reservations() {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    if (std::none_of(reservations.begin(), reservations.end(), [&](const reservation &one) { return one.id == r.id; }))
      continue;
    const usage used = measure();
    const application &a = *find_application(r.application);
    const ask &k = ask_of(*find_application(r.application), r);
    const ask &by = r.of_gang ? claimant_of(a, k) : k;
    if (waits_for_placeholders(a, k)) continue;
    // One that has victims under way is measured without them.
    const auto path = path_down(a.queue);
    const bool comes_to_fit = std::all_of(path.begin(), path.end(), [&](const std::string &at) {
      amount_map then = used.of_queue(at).allocated;
      subtract(then, victims_in(at, by));
      return fits_limit(find_queue(at)->max, then, k.resources);
    });
    const bool fits = has_victims_under_way(by) ? comes_to_fit : within_max(a, k, used);
    if (fits && may_run(a, used) && !in_stopped_queue(a) && within_limits(a, k, used)) continue;
    end_reservation(r.id, messages::reservation_may_not_run());
  }
}

void partition::lose_reservation(uint64_t id, const std::string &why) {
  for (reservation &r : reservations) {
    if (r.id != id) continue;
    for (const reservation &other : reservations) {
      const bool with_it = r.of_gang && other.of_gang && other.application == r.application;
      if (other.id == id || with_it)
        ask_of_reservation(other).reserve_from_ms = add_saturating(shared.now_ms, config.tuning.reservation_delay_ms);
    }
    return end_reservation(id, why);
  }
}

void partition::on_reservation_timer(uint64_t id) {
  for (const reservation &r : reservations) {
    if (r.id != id) continue;
    // One for which a node empties looks again at once: those behind it would have its node in the meantime.
    const bool at_once = r.empties;
    ask &k = ask_of_reservation(r);
    if (!k.required_node.empty()) return wait_on(id, k);
    std::vector<ask *> all{&k};
    for (const reservation &other : reservations_of_gang(*find_application(r.application))) {
      if (r.of_gang) all.push_back(&ask_of_reservation(other));
    }
    lose_reservation(id, messages::reservation_waited(r.node));
    for (ask *one : all) {
      if (at_once) one->reserve_from_ms = shared.now_ms;
    }
    return;
  }
}

// A required-node ask keeps its node, but waits no more for what did not end in time.
void partition::wait_on(uint64_t id, ask &k) {
  if (shared.now_ms < k.preempt_from_ms) return arm_reservation(id, k.preempt_from_ms);
  arm_reservation(id, wait_ends_ms());
  for (const auto &a : applications) {
    for (allocation &x : a->allocations) {
      const bool ends = x.state == allocation_state::preempting || x.state == allocation_state::expiring;
      if (ends && x.node == k.required_node) k.reserve_from_ms = shared.now_ms;
    }
  }
  for (const auto &a : applications) {
    for (allocation &x : a->allocations) {
      if (k.reserve_from_ms == shared.now_ms && x.victim_of == k.arrival) x.victim_of = 0;
    }
  }
}

amount_map partition::most_on(const node &n) const {
  amount_map out = n.capacity;
  subtract(out, n.occupied);
  for (const auto &[key, x] : foreign) {
    if (x.node == n.id) subtract(out, x.resources);
  }
  return out;
}

bool partition::holds(const node &n, const ask &k) const { return fits_in(n, {most_on(n), free_devices(n, true)}, k); }

void partition::look_at_reservations_on(const std::string &node_id) {
  look_at_proposals_on(node_id);
  const node &n = nodes.at(node_id);
  for (const reservation &r : reservations_on(node_id)) {
    application &a = *find_application(r.application);
    const ask &k = ask_of(a, r);
    const bool usable = n.schedulable || !k.required_node.empty();
    if (usable && holds(n, k) && attributes_match(k, n)) continue;
    end_reservation(r.id, messages::reservation_node_unfit());
  }
}

bool partition::decide_reserved(const usage &used) {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    application &a = *find_application(r.application);
    ask &k = ask_of(a, r);
    refused_at_turn.clear();
    if (r.of_gang || waits_for_placeholders(a, k)) continue;
    const node *n = nullptr;
    const bool within = within_max(a, k, used), daemon = !k.required_node.empty();
    if (within) {
      const node &own = nodes.at(r.node);
      if (fits_in(own, free_on(own, used), k) && predicates_pass(a, k, own, true)) n = &own;
      if (n == nullptr && !daemon) n = choose_node(a, k, used);
    }
    const bool own_by_order = n != nullptr && n->id == r.node && (r.freed || r.empties);
    if (n != nullptr && !daemon && !has_victims_under_way(k) && (own_by_order || waits_in_order(a, k, r))) {
      std::find_if(reservations.begin(), reservations.end(), [&](const reservation &one) {
        return one.id == r.id;
      })->goes_by_order = true;
      continue;
    }
    if (n != nullptr && daemon) {
      place_daemon(r, used);
      return true;
    }
    if (n != nullptr) {
      place(a, k, n->id, chosen_by_order(a, k, *n, used));
      return true;
    }
    if (shared.has.preemption && !daemon && preempt(a, k, used)) return true;
  }
  return false;
}

bool partition::clear_required_nodes(const usage &used) {
  const std::vector<reservation> all = reservations;
  refused_at_turn.clear();
  return std::any_of(all.begin(), all.end(), [&](const reservation &r) {
    const application &a = *find_application(r.application);
    ask &k = ask_of_reservation(r);
    if (k.required_node.empty() || waits_for_placeholders(a, k) || is_refused(k, nodes.at(r.node))) return false;
    return within_max(a, k, used) && preempt_on(k, used);
  });
}

// Of those that require the node and could be placed now the one of the highest priority.
void partition::place_daemon(const reservation &r, const usage &used) {
  const node &n = nodes.at(r.node);
  reservation best = r;
  for (const reservation &other : reservations_on(n.id)) {
    const application &a = *find_application(other.application);
    const ask &k = ask_of_reservation(other);
    if (k.priority <= ask_of_reservation(best).priority || waits_for_placeholders(a, k)) continue;
    refused_at_turn.clear();
    if (within_max(a, k, used) && fits_in(n, free_on(n, used), k) && predicates_pass(a, k, n, true)) best = other;
  }
  place(*find_application(best.application), ask_of_reservation(best), n.id, {});
}

// In a leaf that keeps the order of its asks; but not where preemption freed the node.
bool partition::waits_in_order(const application &a, const ask &k, const reservation &r) const {
  return !r.freed && k.required_node.empty() && keeps_order_after(*find_queue(a.queue)).has_value();
}

reservation *partition::by_order_on(const std::string &node_id) {
  for (reservation &r : reservations) {
    if (r.node == node_id && r.by_order) return &r;
  }
  return nullptr;
}

bool partition::place_left_over(const usage &used) {
  const std::vector<reservation> all = reservations;
  for (const reservation &r : all) {
    application &a = *find_application(r.application);
    ask &k = ask_of(a, r);
    if (!r.by_order || waits_in_order(a, k, r)) continue;
    const node &n = nodes.at(r.node);
    refused_at_turn.clear();
    if (!fits_in(n, free_on(n, used), k) || !predicates_pass(a, k, n, true)) continue;
    place(a, k, n.id, {});
    return true;
  }
  return false;
}

bool partition::try_required(application &a, ask &k, const usage &used) {
  const auto found = nodes.find(k.required_node);
  if (found == nodes.end()) return false;
  const node &n = found->second;
  if (!holds(n, k)) return false;
  const std::vector<reservation> there = reservations_on(n.id);
  const auto of_daemon = [&](const reservation &r) {
    return !ask_of(*find_application(r.application), r).required_node.empty();
  };
  const bool now = std::none_of(there.begin(), there.end(), of_daemon) && fits_in(n, free_on(n, used), k);
  if (now ? !predicates_pass(a, k, n, true) : !may_wait_for(a, k, n)) return false;
  for (const reservation &r : there) {
    if (!of_daemon(r)) end_reservation(r.id, messages::reservation_for_daemon(k.key));
  }
  if (now) {
    place(a, k, n.id, {});
  } else {
    reserve(a, k, n.id);
  }
  return true;
}

std::set<std::string> partition::nodes_without_reservation(const ask &k) const {
  std::set<std::string> out;
  for (const auto &[id, n] : nodes) {
    if (n.schedulable && reservations_on(id).empty() && holds(n, k)) out.insert(id);
  }
  return out;
}

const node *partition::node_to_reserve(const application &a, const ask &k, const usage &used) {
  return least_lacking(a, k, used, nodes_without_reservation(k));
}

bool partition::another_may_empty(const application &of) {
  const auto sorted = find_queue(of.queue)->properties.find("application.sort.priority");
  const bool by_priority = sorted == find_queue(of.queue)->properties.end() || lower(sorted->second) != "disabled";
  int32_t highest = INT32_MIN;
  for (const ask &k : of.asks) {
    if (k.pending() > 0) highest = std::max(highest, k.priority);
  }
  return std::all_of(reservations.begin(), reservations.end(), [&](const reservation &r) {
    const application &a = *find_application(r.application);
    const ask &other = ask_of_reservation(r);
    if (!r.empties || a.queue != of.queue || waits_for_placeholders(a, other)) return true;
    return by_priority && other.priority < highest;
  });
}

// First the one on which least has to end.
std::vector<const node *> partition::nodes_to_empty(const application &a, const ask &k, const usage &used) const {
  const std::set<std::string> may = nodes_without_reservation(k);
  std::map<double, std::vector<const node *>> by_part;
  for (const node *n : sorted_nodes(a, k, used)) {
    if (!may.contains(n->id)) continue;
    amount_map then = used.free_on_node.at(n->id);
    for (const auto &each : applications) {
      for (const allocation &x : each->allocations) {
        const bool ends = x.execution_timeout_ms > 0 && x.state == allocation_state::allocated;
        if (x.node == n->id && ends) add(then, x.resources);
      }
    }
    double part = 0;
    for (const auto &[type, need] : k.resources) {
      const int64_t missing = std::max<int64_t>(0, sub_saturating(need, amount_of(then, type)));
      if (need > 0) part = std::max(part, static_cast<double>(missing) / static_cast<double>(need));
    }
    by_part[part].push_back(n);
  }
  std::vector<const node *> out;
  for (const auto &[part, those] : by_part) out.insert(out.end(), those.begin(), those.end());
  return out;
}

const node *partition::node_to_empty(const application &a, const ask &k, const std::vector<const node *> &in_order,
                                     const std::map<std::string, amount_map> &beside) {
  for (const node *n : in_order) {
    amount_map together = k.resources;
    if (const auto others = beside.find(n->id); others != beside.end()) add(together, others->second);
    if (!fits(most_on(*n), together) || !predicates_pass(a, k, *n, false)) continue;
    return check_deadline_ms > 0 && !may_wait_for(a, k, *n) ? nullptr : n;
  }
  return nullptr;
}

const node *partition::least_lacking(const application &a, const ask &k, const usage &used,
                                     const std::set<std::string> &among) {
  const node *best = nullptr;
  double least = 0;
  for (const node *n : sorted_nodes(a, k, used)) {
    if (!among.contains(n->id)) continue;
    double lacks = 0;
    for (const std::string &type : types) {  // this order decides the last bit
      const int64_t need = amount_of(k.resources, type), there = amount_of(used.free_on_node.at(n->id), type);
      if (need <= 0 || need <= there) continue;
      lacks += there <= 0 ? 1.0 : static_cast<double>(need - there) / static_cast<double>(need);
    }
    if ((best == nullptr || lacks < least) && predicates_pass(a, k, *n, false)) {
      best = n;
      least = lacks;
    }
  }
  const bool answers_later = best != nullptr && check_deadline_ms > 0;
  return answers_later && !may_wait_for(a, k, *best) ? nullptr : best;
}

bool partition::may_use(const node &n, const ask &k, const usage &used) const {
  const std::vector<reservation> there = reservations_on(n.id);
  if (there.empty()) return true;
  free_capacity left = free_on(n, used);
  subtract(left.free, k.resources);
  take(left.devices, detail_on(n, left.devices, k, {}));
  std::vector<const allocation *> ending;
  for (const auto &a : applications) {
    for (const allocation &x : a->allocations) {
      if (x.node == n.id && x.execution_timeout_ms > 0 && x.state == allocation_state::allocated) ending.push_back(&x);
    }
  }
  const auto end_of = [](const allocation *x) { return add_saturating(x->bind_time_ms, x->execution_timeout_ms); };
  std::stable_sort(ending.begin(), ending.end(), [&](auto *x, auto *y) { return end_of(x) < end_of(y); });
  return std::all_of(there.begin(), there.end(), [&](const reservation &r) {
    if (r.ask == k.arrival) return true;
    const auto holder =
        std::find_if(applications.begin(), applications.end(), [&](const auto &a) { return a->uid == r.application; });
    const ask &kept_for = ask_of(**holder, r);
    const bool with_gang = std::any_of((*holder)->asks.begin(), (*holder)->asks.end(),
                                       [&](const ask &one) { return one.placeholder && one.arrival == k.arrival; });
    if (r.of_gang && with_gang) return true;
    if (r.by_order && (r.freed || r.empties) && k.priority > kept_for.priority && k.arrival > kept_for.arrival)
      return true;
    if (!config.tuning.reservation_backfill) return false;
    const ask &reserved = ask_of(**holder, r);
    if (fits_in(n, left, reserved)) return true;
    if (k.execution_timeout_ms <= 0) return false;
    free_capacity then = free_on(n, used);
    if (fits_in(n, then, reserved)) return false;  // it waits for something else
    for (const allocation *x : ending) {
      then.add(x->resources, x->detail);
      if (!fits_in(n, then, reserved)) continue;
      return add_saturating(shared.now_ms, k.execution_timeout_ms) <= end_of(x);
    }
    return false;
  });
}

}  // namespace tenon::naive
