// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "readers/partition_copy.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "model/queue_properties.hpp"
#include "partition.hpp"

namespace tenon::internal {
namespace {

// The same instance under an owner of its own.
std::unique_ptr<bound_policy> lent(const bound_policy &from) { return std::make_unique<bound_policy>(from); }

std::unique_ptr<sort_policy> lent(const sort_policy &from) {
  std::unique_ptr<sort_policy> out = std::move(*wrap_sort_policy(from.kind, lent(*from.bound)));
  out->faulty = from.faulty;
  out->periods = from.periods;
  out->chosen = from.chosen;
  return out;
}

// The live items of a slab, in the order in which they were made.
template <class T, uint32_t page_bytes, class Number>
std::vector<const T *> in_order(const slab<T, page_bytes> &items, Number number) {
  std::vector<const T *> out;
  for (uint32_t i = 0; i < items.extent(); ++i) {
    if (items[i].live) out.push_back(&items[i]);
  }
  std::sort(out.begin(), out.end(), [&](const T *x, const T *y) { return x->*number < y->*number; });
  return out;
}

}  // namespace

// What refers to others is made by the functions that make it in the first place, so that everything derived from it
// (heaps, sums, lines) is there as well. Order matters: an ask lines up when all that decides where is known.
class partition_copier {
 public:
  static std::unique_ptr<partition> copy(const partition &from, core &in, uint32_t number) {
    auto to = std::make_unique<partition>(in, number, from.rm, from.plain_name, from.check_deadline_ms);
    partition_copier(from, *to).run();
    return to;
  }

 private:
  // The copies of the items of a slab, by their index.
  template <class T>
  class copies {
   public:
    void note(const T &of, T &copy) {
      if (by_index_.size() <= of.index) by_index_.resize(of.index + 1);
      by_index_[of.index] = &copy;
    }
    [[nodiscard]] T &of(const T &item) const { return *by_index_[item.index]; }
    [[nodiscard]] T *of(const T *item) const { return item == nullptr ? nullptr : &of(*item); }

   private:
    std::vector<T *> by_index_;
  };

  partition_copier(const partition &from, partition &to) : from_(from), to_(to) {}

  void run() {
    copy_own();
    copy_policies();
    copy_queue(*from_.root, nullptr);
    for (const auto &[id, n] : from_.nodes.by_id()) copy_node(*n);
    const std::vector<application *> apps = from_.by_submission();
    for (const application *app : apps) copy_application(*app);
    const std::vector<const ask *> asks = in_order(from_.asks, &ask::arrival);
    for (const ask *a : asks) copy_ask(*a);
    // Nodes are not divided yet: an allocation holds the devices that it says, and none are chosen for it.
    for (const allocation *x : in_order(from_.allocations, &allocation::sequence)) {
      x->foreign ? copy_foreign(*x) : copy_allocation(*x);
    }
    for (const replacement *r : in_order(from_.replacements.all(), &replacement::index)) copy_replacement(*r);
    for (const application *app : apps) copy_proposals(*app);
    for (const auto &[id, n] : to_.nodes.by_id()) {
      if (to_.holdings.divide(*n)) to_.changes.apply(divided_types_changed{});
      to_.changes.apply(node_stored{*n});
    }
    to_.fair_maxima.refresh(*to_.root);
    to_.fair_maxima.copy(from_.fair_maxima);
    copy_victims();
    for (const reservation *r : in_order(from_.reservations.all(), &reservation::sequence)) {
      to_.reservations.number_from(r->sequence);
      to_.reservations.reserve(asks_.of(*r->of), *nodes_.at(r->where));
    }
    for (const ask *a : asks) line_up(*a, asks_.of(*a));
    for (const auto &[number, a] : from_.held_off.all()) to_.held_off.add(asks_.of(*a));
    for (const application *app : apps) to_.gangs.changed(applications_.of(*app));
    copy_counters();
    to_.priorities.refresh_all(*to_.root);
  }

  void copy_own() {
    ledger::copy(to_.state, from_.state);
    to_.paused = from_.paused;
    to_.config = from_.config;
    to_.priority_classes = from_.priority_classes;
    for (type_index t = 0; t < from_.types.count(); ++t) to_.types.intern(from_.types.name(t));
  }

  void copy_policies() {
    to_.orders.nodes.own.policy = lent(*from_.orders.nodes.own.policy);
    to_.orders.nodes.start(to_.orders.nodes.own);
    for (const auto &[name, by] : from_.orders.nodes.chosen) {
      if (by.policy == nullptr) continue;
      node_sorting &out = to_.orders.nodes.chosen[name];
      sortings_.emplace(&by, &out);
      out.policy = lent(*by.policy);
      to_.orders.nodes.start(out);
    }
    for (const auto &[name, policy] : from_.orders.queues.of_queues)
      to_.orders.queues.of_queues.emplace(name, lent(*policy));
    for (const auto &[name, policy] : from_.orders.queues.of_applications)
      to_.orders.queues.of_applications.emplace(name, lent(*policy));
    std::vector<node_predicate> predicates;
    for (const node_predicate &p : from_.verdicts.predicates()) {
      predicates.push_back(std::move(*wrap_predicate(lent(*p.bound))));
    }
    to_.verdicts.adopt(std::move(predicates));
    to_.intake.types_grew();
  }

  void copy_queue(const queue &q, queue *parent) {
    queue &out = to_.queues.create_queue(parent, q.name, q.leaf, q.managed);
    queues_.emplace(&q, &out);
    out.sequence = q.sequence;
    ledger::copy(out.state, q.state);
    out.guaranteed = q.guaranteed;
    out.max = q.max;
    out.max_applications = q.max_applications;
    out.limits = queue_limits(q.limits.all());
    out.prepared = q.prepared;
    out.decayed = q.decayed;
    copy_properties(q, out);
    for (const auto &child : q.children) copy_queue(*child, &out);
  }

  // As they were resolved last: a queue that drains does not follow its parent any more.
  void copy_properties(const queue &q, queue &out) {
    out.properties = q.properties;
    read_properties(out);
    const auto &from = q.leaf ? from_.orders.queues.of_applications : from_.orders.queues.of_queues;
    const auto own = std::find_if(from.begin(), from.end(), [&](const auto &p) { return p.second.get() == q.order; });
    out.order = (q.leaf ? to_.orders.queues.of_applications : to_.orders.queues.of_queues).at(own->first).get();
  }

  void copy_node(const node &n) {
    node &out = to_.nodes.add(n.id);
    nodes_.emplace(&n, &out);
    to_.changes.apply(capacity_set{out, n.capacity});
    to_.changes.apply(occupied_set{out, n.occupied});
    ledger::copy(out.state, n.state);
    std::vector<named_text> attributes;
    for (const auto &[key, value] : n.attributes) attributes.push_back({key, value});
    to_.changes.apply(attributes_set{out, attributes});
    to_.changes.apply(node_stored{out});
    to_.queues.count_capacity(out.capacity, {});
  }

  void copy_application(const application &app) {
    to_.application_states.number_from(app.submission);
    application &out = to_.application_states.create_application(app.id, *queues_.at(app.home));
    applications_.note(app, out);
    out.user = app.user;
    out.groups = app.groups;
    out.tags = app.tags;
    out.prepared = app.prepared;
    out.decayed = app.decayed;
    ledger::copy(out.state, app.state);
    out.submitted_ms = app.submitted_ms;
    out.placeholder_ask = app.placeholder_ask;
    out.direct_running = app.direct_running;
    out.independent = app.independent;
    out.first_bind_ms = app.first_bind_ms;
    if (app.nodes_by != nullptr) out.nodes_by = sortings_.at(app.nodes_by);
    to_.limits.attach(out);
    out.place = app.place;
    if (out.place != limit_place::none) to_.limits.count(out, true);
    to_.application_states.count_up(out, app.counted);
  }

  // It stands in no line so far.
  void copy_ask(const ask &a) {
    ask &out = to_.allocation_states.create_ask(applications_.of(*a.owner), a.key);
    asks_.note(a, out);
    out.priority = a.priority;
    to_.changes.apply(ask_filled{out, a.max_allocations});
    to_.changes.apply(ask_placed{out, a.placed});
    out.arrival = a.arrival;
    out.create_time_ms = a.create_time_ms;
    out.execution_timeout_ms = a.execution_timeout_ms;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempt_self = a.preempt_self;
    out.preempt_other = a.preempt_other;
    ledger::copy(out.state, a.state);
    out.tags = a.tags;
    if (a.gang != nullptr) out.gang = gangs::group_named(*out.owner, a.gang->name);
    const ask_class &c = from_.classes[a.class_id];
    out.class_id = to_.classifier.classify(c.required_node, out, c.need, c.devices).id;
    if (a.state == ask_state::pending) to_.allocation_states.add_pending_of(out, a.pending());
    if (a.wait == nullptr) return;
    ask_wait &wait = ask_wait::of(out, to_.waits);
    wait.reserve_from_ms = a.wait->reserve_from_ms;
    wait.preempt_from_ms = a.wait->preempt_from_ms;
    for (const node_refusal &r : a.wait->refusals) {
      to_.checks.note_refusal(out, *nodes_.at(r.where), r.reason);
    }
  }

  uint32_t class_of(uint32_t class_id) {
    const ask_class &c = from_.classes[class_id];
    return to_.classifier.plain_class(c.need, c.devices).id;
  }

  void copy_allocation(const allocation &x) {
    ask &of = asks_.of(*x.from);
    allocation_terms terms;
    terms.class_id = class_of(x.class_id);
    terms.priority = x.priority;
    terms.placeholder = x.placeholder;
    terms.originator = x.originator;
    terms.preempt_self = x.preempt_self;
    terms.bound = x.bound;
    if (x.gang != nullptr) terms.gang = gangs::group_named(*of.owner, x.gang->name);
    terms.create_time_ms = x.create_time_ms;
    allocation &out =
        to_.allocation_states.copy(x, of, *nodes_.at(x.where), terms, from_.held_devices_of.text_of(x.devices));
    allocations_.note(x, out);
    if (x.state == allocation_state::preempting) {
      to_.changes.apply(queue_preempting{*of.owner->home, to_.classes[out.class_id].need, 1});
    }
  }

  // The node's occupied amounts have it already.
  void copy_foreign(const allocation &x) {
    node &n = *nodes_.at(x.where);
    allocation &out = to_.allocations.create();
    out.foreign = true;
    out.foreign_key = std::make_unique<const std::string>(x.key());
    out.where = &n;
    out.class_id = class_of(x.class_id);
    ledger::copy(out.state, x.state);
    to_.foreign.emplace(out.key(), &out);
    n.foreign.push_back(&out);
    if (x.devices != no_record) to_.holdings.keep(out.devices, from_.held_devices_of[x.devices].held);
  }

  void copy_replacement(const replacement &r) {
    allocation &placeholder = allocations_.of(*r.placeholder);
    replacement &out = to_.replacements.make(asks_.of(*r.real), placeholder, *nodes_.at(r.where), {});
    replacements_.note(r, out);
    out.number = r.number;
    if (r.devices != no_record) to_.holdings.keep(out.devices, from_.held_devices_of[r.devices].held);
    if (r.number == 0) {
      to_.changes.apply(replacement_begun{placeholder, &out});
    } else {
      to_.gangs.leave_allocated(placeholder);
      to_.changes.apply(replacement_proposed{placeholder, &out});
    }
  }

  void copy_proposals(const application &app) {
    application &out = applications_.of(app);
    for (const proposal &p : app.proposals) {
      proposal copy = p;
      copy.made = allocations_.of(p.made);
      copy.instead = replacements_.of(p.instead);
      ledger::write(proposal_made{out, copy});
      to_.proposed.add(copy.number, out);
    }
  }

  void copy_victims() {
    for (const ask *a : from_.claims.claimants()) {
      std::vector<allocation *> victims;
      for (const allocation *x : a->wait->victims) victims.push_back(&allocations_.of(*x));
      to_.claims.claim(asks_.of(*a), victims);
    }
  }

  void line_up(const ask &a, ask &out) {
    if (a.state != ask_state::pending) return;
    if (out.line == ask_line::none) to_.lines.enqueue(out);
    if (a.line == ask_line::refused && out.line == ask_line::run) to_.lines.move_to_refused(out);
  }

  void copy_counters() {
    to_.application_states.number_from(from_.application_states.next_number());
    to_.ask_intake.number_from(from_.ask_intake);
    to_.allocation_states.follow(from_.allocation_states);
    to_.queues.number_from(from_.queues);
    to_.reservations.number_from(from_.reservations.next_number());
  }

  const partition &from_;
  partition &to_;
  std::map<const queue *, queue *> queues_;                  // any order: looked up, never walked
  std::map<const node *, node *> nodes_;                     // any order: looked up, never walked
  std::map<const node_sorting *, node_sorting *> sortings_;  // any order: looked up, never walked
  copies<application> applications_;
  copies<ask> asks_;
  copies<allocation> allocations_;
  copies<replacement> replacements_;
};

std::unique_ptr<partition> copy_of(const partition &from, core &in, uint32_t number) {
  return partition_copier::copy(from, in, number);
}

}  // namespace tenon::internal
