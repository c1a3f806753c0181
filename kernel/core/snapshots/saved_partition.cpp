// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/saved_partition.hpp"

#include <algorithm>
#include <map>

#include "partition.hpp"
#include "snapshots/copied_items.hpp"
#include "snapshots/saved_values.hpp"

namespace tenon::internal {

saved_stops saved_of(const std::string &partition, const administrators_stops &from) {
  return {partition, from.partition, {from.queues.begin(), from.queues.end()}, {from.nodes.begin(), from.nodes.end()}};
}

// Where an object stands in the list of its kind, by its index.
class places {
 public:
  void note(uint32_t index, size_t place) {
    if (by_index_.size() <= index) by_index_.resize(index + 1, not_saved);
    by_index_[index] = static_cast<uint32_t>(place);
  }
  [[nodiscard]] uint32_t of(uint32_t index) const { return by_index_[index]; }
  template <class T>
  [[nodiscard]] uint32_t of(const T *item) const {
    return item == nullptr ? not_saved : of(item->index);
  }

 private:
  std::vector<uint32_t> by_index_;
};

class partition_saver {
 public:
  partition_saver(const partition &from, saved_partition &to) : from_(from), to_(to) {}

  std::optional<refusal> run() {
    if (auto why = what_cannot_be_saved()) return why;
    save_own();
    save_policies();
    save_queue(*from_.root, not_saved);
    for (const auto &[id, n] : from_.nodes.by_id()) save_node(*n);
    for (const application *app : from_.by_submission()) save_application(*app);
    for (const application *app : from_.ended) save_application(*app);
    const std::vector<const ask *> asks = in_order(from_.asks, &ask::arrival);
    to_.asks.reserve(asks.size());
    for (const ask *a : asks) save_ask(*a);
    save_allocations();
    for (const replacement *r : in_order(from_.replacements.all(), &replacement::index)) save_replacement(*r);
    for (const application *app : from_.by_submission()) save_proposals(*app);
    std::vector<ask *> claimants = from_.claims.claimants();
    std::sort(claimants.begin(), claimants.end(), [](const ask *x, const ask *y) { return x->arrival < y->arrival; });
    for (const ask *a : claimants) save_claim(*a);
    for (const reservation *r : in_order(from_.reservations.all(), &reservation::sequence)) {
      to_.reservations.push_back({asks_.of(r->of), nodes_.of(r->where->slot), r->sequence,
                                  r->way == way_to_room::preemption, r->way == way_to_room::it_empties, r->of_gang});
    }
    for (const auto &[number, a] : from_.held_off.all()) to_.held_off.push_back(asks_.of(a));
    for (const auto &[sequence, at_ms] : from_.allocation_states.ends_at()) to_.ends.push_back({sequence, at_ms});
    std::sort(to_.ends.begin(), to_.ends.end(),
              [](const saved_end &x, const saved_end &y) { return x.allocation_sequence < y.allocation_sequence; });
    return std::nullopt;
  }

  [[nodiscard]] bool is_of(const timer &t) const { return t.where == from_.id; }

  // Nothing: it is void, or armed with what it is about.
  [[nodiscard]] std::optional<saved_timer> timer_of(const timer &t) const {
    if (from_.is_void(t)) return std::nullopt;
    saved_timer out;
    out.kind = static_cast<uint8_t>(t.kind);
    out.due_ms = t.due_ms;
    switch (t.kind) {
      case timer_kind::application_state:
      case timer_kind::application_execution:
      case timer_kind::placeholders:
      case timer_kind::left_over:
        out.object = applications_.of(t.object);
        return out;
      case timer_kind::allocation_execution:
        out.object = allocations_.of(t.object);
        return out;
      case timer_kind::reservation_wait:
        out.object = asks_.of(from_.reservations.all()[t.object].of);
        return out;
      case timer_kind::rm_check:
        out.object = t.object;
        out.number = t.epoch;
        return out;
      case timer_kind::quota:
        for (const auto &[q, place] : queues_) {
          if (q->quota.epoch == t.epoch) out.object = place;
        }
        return out;
      case timer_kind::drain:
      case timer_kind::cleaner:
        return out;
      case timer_kind::app_rekey:
      case timer_kind::queue_rekey:
      case timer_kind::ask_alarm:
      case timer_kind::predicate:
        break;
    }
    return std::nullopt;
  }

 private:
  // For a time, or as it is configured.
  [[nodiscard]] std::optional<refusal> what_cannot_be_saved() const {
    if (!from_.verdicts.are_held()) return std::nullopt;
    return refusal{"partition " + from_.name, "a state that can be saved",
                   "a predicate failed, and is not asked for a second", "try again in a second"};
  }

  void save_own() {
    to_.rm = from_.rm;
    to_.name = from_.plain_name;
    to_.number = static_cast<uint32_t>(from_.id);
    to_.check_deadline_ms = from_.check_deadline_ms;
    to_.epoch = from_.epoch;
    to_.stops = saved_of({}, from_.stops);
    to_.state = from_.state;
    to_.paused = from_.paused;
    to_.since_ms = from_.since_ms;
    to_.config = from_.config;
    to_.priority_classes = from_.priority_classes;
    for (type_index t = 0; t < from_.types.count(); ++t) to_.types.emplace_back(from_.types.name(t));
    to_.shapes = from_.shapes.saved();
    to_.inspection = from_.inspector.round().saved();
    to_.delivered_to = from_.proposed.delivered_to();
    to_.next_submission = from_.application_states.next_number();
    to_.next_end = from_.application_states.next_end();
    to_.next_arrival = from_.ask_intake.next_number();
    to_.next_allocation = from_.allocation_states.next_number();
    to_.next_queue = from_.queues.next_number();
    to_.next_reservation = from_.reservations.next_number();
  }

  void save_policies() {
    const node_sortings &nodes = from_.orders.nodes;
    to_.node_order_faulty = nodes.own.policy->faulty;
    for (const auto &[name, by] : nodes.chosen) {
      to_.chosen_orders.push_back({name, by.policy != nullptr, by.policy != nullptr && by.policy->faulty});
      if (by.policy != nullptr) chosen_.emplace(&by, name);
    }
    to_.canary_faulty = nodes.canary != nullptr && nodes.canary->policy->faulty;
    const auto &[in_place, why, since_ms] = nodes.of_canary;
    to_.has_canary = in_place;
    to_.canary_why = why;
    to_.canary_since_ms = since_ms;
    const auto side = [](const canary_tally::side &one) { return saved_canary_tally::side{one.placed, one.waited_ms}; };
    const auto &[faults, is_counted, its, others, placed, longer, its_next, others_next] = from_.canary.tally();
    to_.canary_tally = {faults, side(its), side(others), placed, longer, side(its_next), side(others_next)};
    for (const auto &[name, policy] : from_.orders.queues.of_queues) {
      to_.queue_orders.push_back({name, true, policy->faulty});
      orders_.emplace(policy.get(), name);
    }
    for (const auto &[name, policy] : from_.orders.queues.of_applications) {
      to_.application_orders.push_back({name, true, policy->faulty});
      orders_.emplace(policy.get(), name);
    }
  }

  // Of an ask or, without the node that this requires, of an allocation: some classes differ in what is not saved.
  uint32_t need_of(uint32_t class_id, bool of_ask) {
    std::vector<uint32_t> &known = of_ask ? asked_ : allocated_;
    if (known.empty()) known.assign(from_.classes.count(), not_saved);
    uint32_t &place = known[class_id];
    if (place != not_saved) return place;
    const ask_class &c = from_.classes[class_id];
    saved_need need;
    need.amounts = saved(c.need);
    for (const class_devices &d : c.devices) need.devices.push_back({d.type, d.count, d.amount});
    if (of_ask) need.required_node = c.required_node;
    const auto same = std::find(to_.needs.begin(), to_.needs.end(), need);
    place = static_cast<uint32_t>(same - to_.needs.begin());
    if (same == to_.needs.end()) to_.needs.push_back(std::move(need));
    return place;
  }

  void save_queue(const queue &q, uint32_t parent) {
    const auto place = static_cast<uint32_t>(to_.queues.size());
    queues_.emplace(&q, place);
    saved_queue out;
    out.name = q.name;
    out.parent = parent;
    out.leaf = q.leaf;
    out.managed = q.managed;
    out.sequence = q.sequence;
    out.state = q.state;
    out.guaranteed = saved(q.guaranteed);
    out.max = saved(q.max);
    out.max_applications = q.max_applications;
    out.submit_acl = saved(q.submit_acl);
    out.admin_acl = saved(q.admin_acl);
    out.child_template = q.child_template;
    out.limits = q.limits.all();
    out.own_properties = q.own_properties;
    out.properties = q.properties;
    out.prepared.assign(q.prepared.begin(), q.prepared.end());
    for (const decayed_usage &d : q.decayed) out.decayed.push_back(d.saved());
    out.order = orders_.at(q.order);
    const auto &[epoch, armed_ms, delay_ms] = q.quota;
    out.quota_runs = epoch != 0;
    out.quota_armed_ms = epoch == 0 ? 0 : armed_ms;
    out.quota_delay_ms = epoch == 0 ? 0 : delay_ms;
    to_.queues.push_back(std::move(out));
    for (const auto &child : q.children) save_queue(*child, place);
  }

  void save_node(const node &n) {
    nodes_.note(n.slot, to_.nodes.size());
    saved_node &out = to_.nodes.emplace_back();
    out.id = n.id;
    out.state = n.state;
    out.capacity = saved(n.capacity);
    out.occupied = saved(n.occupied);
    for (const auto &[key, value] : n.attributes) out.attributes.push_back({key, value});
  }

  void save_application(const application &app) {
    applications_.note(app.index, to_.applications.size());
    saved_application &out = to_.applications.emplace_back();
    out.id = app.id;
    out.user = app.user;
    out.queue = app.home == nullptr ? not_saved : queues_.at(app.home);
    out.groups = app.groups;
    out.tags = saved(app.tags);
    out.state = app.state;
    for (const auto &[at_ms, state] : app.state_log) out.log.push_back({at_ms, state});
    out.submission = app.submission;
    out.ended = app.ended;
    out.submitted_ms = app.submitted_ms;
    out.started_ms = app.started_ms;
    out.finished_ms = app.finished_ms;
    out.said_creation_ms = app.said_creation_ms;
    out.execution_timeout_ms = app.execution_timeout_ms;
    out.placeholder_ask = saved(app.placeholder_ask);
    out.hard_gang = app.hard_gang;
    out.direct_running = app.direct_running;
    out.independent = app.independent;
    out.counted = app.counted;
    out.place = static_cast<uint8_t>(app.place);
    out.first_bind_ms = app.first_bind_ms;
    out.prepared.assign(app.prepared.begin(), app.prepared.end());
    for (const decayed_usage &d : app.decayed) out.decayed.push_back(d.saved());
    out.in_canary = app.ended == 0 && app.in_canary;
    if (const auto chosen = chosen_.find(app.nodes_by); chosen != chosen_.end()) out.chosen_order = chosen->second;
    out.submitted_queue = app.submitted_queue;
    out.message = app.message;
    for (const auto &[name, g] : app.task_groups) {
      if (g.replaced != 0 || g.timed_out != 0) out.placeholders.push_back({name, g.replaced, g.timed_out});
    }
  }

  void save_ask(const ask &a) {
    asks_.note(a.index, to_.asks.size());
    saved_ask &out = to_.asks.emplace_back();
    out.application = applications_.of(a.owner);
    out.key = a.key.view();
    out.need = need_of(a.class_id, true);
    out.priority = a.priority;
    out.max_allocations = a.max_allocations;
    out.placed = a.placed;
    out.state = a.state;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempt_self = a.preempt_self;
    out.preempt_other = a.preempt_other;
    out.is_refused = is_copied_as_refused(a);
    out.told = static_cast<uint8_t>(a.told());
    out.arrival = a.arrival;
    out.create_time_ms = a.create_time_ms;
    out.execution_timeout_ms = a.execution_timeout_ms();
    if (!a.tags().empty()) out.tags = saved(a.tags());
    if (a.gang != nullptr) out.task_group = a.gang->name;
    if (a.wait == nullptr) return;
    out.waits = true;
    out.reserve_from_ms = a.wait->reserve_from_ms;
    out.preempt_from_ms = a.wait->preempt_from_ms;
    for (const node_refusal &r : a.wait->refusals) {
      out.refusals.push_back({nodes_.of(r.where->slot), r.reason, r.failed_starts, r.until_ms});
    }
  }

  void save_allocations() {
    to_.allocations.reserve(from_.allocations.live());
    for (const allocation *x : in_order(from_.allocations, &allocation::sequence)) {
      if (!x->foreign) save_allocation(*x);
    }
    std::map<std::string_view, const allocation *> foreign;
    for (const auto &[key, x] : from_.foreign) foreign.emplace(key, x);  // any order: sorted by that
    for (const auto &[key, x] : foreign) save_foreign(*x);
  }

  void save_allocation(const allocation &x) {
    allocations_.note(x.index, to_.allocations.size());
    saved_allocation &out = to_.allocations.emplace_back();
    out.ask = asks_.of(x.from);
    out.node = nodes_.of(x.where->slot);
    out.need = need_of(x.class_id, false);
    out.sequence = x.sequence;
    out.state = x.state;
    out.priority = x.priority;
    out.placeholder = x.placeholder;
    out.originator = x.originator;
    out.preempt_self = x.preempt_self;
    out.bound = x.bound;
    out.replaced = x.replaced;
    out.create_time_ms = x.create_time_ms;
    out.bind_time_ms = x.bind_time_ms;
    out.placeholder_created_ms = x.placeholder_created_ms;
    if (x.gang != nullptr) out.task_group = x.gang->name;
    out.devices = from_.held_devices_of.text_of(x.devices);
  }

  void save_foreign(const allocation &x) {
    saved_foreign &out = to_.foreign.emplace_back();
    out.key = x.key();
    out.node = nodes_.of(x.where->slot);
    out.need = need_of(x.class_id, false);
    out.state = x.state;
    out.priority = x.priority;
    out.create_time_ms = x.create_time_ms;
    out.bind_time_ms = x.bind_time_ms;
    out.devices = held(x.devices);
    if (const auto tags = from_.foreign_tags.find(x.key()); tags != from_.foreign_tags.end())
      out.tags = saved(tags->second);
  }

  [[nodiscard]] std::vector<saved_devices> held(uint32_t record) const {
    std::vector<saved_devices> out;
    if (record == no_record) return out;
    for (const auto &[type, amount, devices] : from_.held_devices_of[record].held)
      out.push_back({type, amount, devices});
    return out;
  }

  void save_replacement(const replacement &r) {
    replacements_.note(r.index, to_.replacements.size());
    const auto &[class_id, priority, placeholder, originator, preempt, bound, gang, created_ms, timeout_ms] = r.terms;
    const std::string group(gang == nullptr ? std::string_view{} : gang->name);
    saved_terms terms{need_of(class_id, false), priority, originator, preempt, bound, created_ms, timeout_ms, group};
    to_.replacements.push_back({allocations_.of(r.placeholder), asks_.of(r.real), nodes_.of(r.where->slot), r.number,
                                held(r.devices), std::move(terms)});
  }

  void save_proposals(const application &app) {
    for (const auto &[number, made, instead, execution_timeout_ms, reserved] : *app.proposals) {
      const auto &[owner, armed, has_deadline] = from_.proposed.at(number);
      const auto was_reserved = static_cast<uint8_t>(reserved ? 1 + static_cast<int>(*reserved) : 0);
      to_.proposals.push_back({applications_.of(app.index), number, allocations_.of(made), replacements_.of(instead),
                               execution_timeout_ms, armed, has_deadline, was_reserved});
    }
  }

  void save_claim(const ask &a) {
    if (a.wait->victims->empty()) return;
    saved_claim &out = to_.claims.emplace_back();
    out.ask = asks_.of(a.index);
    for (const allocation *x : a.wait->victims) out.victims.push_back(allocations_.of(x));
  }

  const partition &from_;
  saved_partition &to_;
  std::vector<uint32_t> asked_, allocated_;             // by class, the place of what is needed or not_saved
  std::map<const queue *, uint32_t> queues_;            // any order: looked up, or searched for one
  std::map<const node_sorting *, std::string> chosen_;  // any order: looked up, never walked
  std::map<const sort_policy *, std::string> orders_;   // any order: looked up, never walked
  places nodes_, applications_, asks_, allocations_, replacements_;
};

kernel_saver::kernel_saver(saved_state &to) : to_(to) {}
kernel_saver::~kernel_saver() = default;

std::optional<refusal> kernel_saver::add(const partition &from) {
  return savers_.emplace_back(std::make_unique<partition_saver>(from, to_.partitions.emplace_back()))->run();
}

void kernel_saver::add(const std::vector<timer> &all) {
  std::vector<timer> armed = all;
  std::sort(armed.begin(), armed.end(), [](const timer &x, const timer &y) { return x.sequence < y.sequence; });
  for (const timer &t : armed) {
    for (uint32_t i = 0; i < savers_.size(); ++i) {
      if (!savers_[i]->is_of(t)) continue;
      if (auto one = savers_[i]->timer_of(t)) {
        one->partition = i;
        to_.timers.push_back(*one);
      }
    }
  }
}

}  // namespace tenon::internal
