// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/partition_copy.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "model/gang_reservations.hpp"
#include "model/queue_properties.hpp"
#include "partition.hpp"
#include "snapshots/copied_items.hpp"
#include "snapshots/copied_policies.hpp"

namespace tenon::internal {

// What refers to others is made by the functions that make it in the first place, so that everything derived from it
// (heaps, sums, lines) is there as well. Order matters: an ask lines up when all that decides where is known.
class partition_copier {
 public:
  static result<std::unique_ptr<partition>> copy(const partition &from, core &in, partition_id as, bool apart) {
    auto to =
        std::make_unique<partition>(in, as, from.rm, from.plain_name, from.check_deadline_ms, from.epoch, from.stops);
    const bool same_source = &in.policies == &from.shared.policies;
    policy_copier policies(apart         ? copied_policies::own
                           : same_source ? copied_policies::lent
                                         : copied_policies::replaced,
                           in.policies, from.types.limit());
    partition_copier(from, *to, policies).run();
    if (policies.refused()) return *policies.refused();
    return to;
  }

 private:
  partition_copier(const partition &from, partition &to, policy_copier &policies)
      : from_(from), to_(to), policies_(policies) {}

  void run() {
    copy_own();
    copy_policies();
    if (policies_.refused()) return;
    make_room();
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
      (void)to_.reservations.keep(asks_.of(*r->of), copy_of_node(*r->where), r->way, r->of_gang);
    }
    for (const ask *a : asks) {
      if (a->state == ask_state::pending && asks_.of(*a).line == ask_line::none) to_.lines.enqueue(asks_.of(*a));
    }
    for (const ask *a : asks) stand_as_before(*a, asks_.of(*a));
    for (const auto &[number, a] : from_.held_off.all()) to_.held_off.add(asks_.of(*a));
    for (const application *app : apps) {
      to_.gangs_in_turn.changed(applications_.of(*app));
      to_.whole_gang.watch(applications_.of(*app));
    }
    copy_counters();
    to_.priorities.refresh_all(*to_.root);
    copy_timers();
  }

  void copy_own() {
    ledger::copy(to_.state, from_.state);
    to_.paused = from_.paused;
    to_.config = from_.config;
    to_.priority_classes = from_.priority_classes;
    for (type_index t = 0; t < from_.types.count(); ++t) to_.types.intern(from_.types.name(t));
  }

  void make_room() {
    nodes_.resize(from_.nodes.slots());
    classes_.assign(from_.classes.count(), no_class);
    plain_.assign(from_.classes.count(), no_class);
    applications_.make_room(from_.applications.extent());
    asks_.make_room(from_.asks.extent());
    allocations_.make_room(from_.allocations.extent());
    to_.orders.nodes.for_each(
        [&](const node_sorting &by) { scores_read_asks_ = scores_read_asks_ || by.policy->score_reads_ask(); });
  }

  void copy_policies() {
    to_.shapes = from_.shapes;
    to_.canary.copy(from_.canary.tally());
    policies_.copy(from_.config, from_.orders.nodes, to_.orders.nodes, sortings_);
    for (const auto &[name, policy] : from_.orders.queues.of_queues)
      to_.orders.queues.of_queues.emplace(name, policies_.copy(*policy, name, "{}"));
    for (const auto &[name, policy] : from_.orders.queues.of_applications)
      to_.orders.queues.of_applications.emplace(name, policies_.copy(*policy, name, "{}"));
    to_.verdicts.adopt(policies_.copy(from_.verdicts.predicates()));
    to_.verdicts.adopt_canary(policies_.copy_canary(from_.config, from_.verdicts.of_canary()));
    std::vector<std::unique_ptr<placement_rule>> rules;
    for (const auto &rule : from_.placement.rules()) rules.push_back(policies_.copy(*rule));
    to_.placement.use(std::move(rules));
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
    out.submit_acl = q.submit_acl;
    out.admin_acl = q.admin_acl;
    out.child_template = q.child_template;
    out.limits = queue_limits(q.limits.all());
    out.prepared = q.prepared;
    out.decayed = q.decayed;
    copy_properties(q, out);
    for (const auto &child : q.children) copy_queue(*child, &out);
  }

  // As they were resolved last: a queue that drains does not follow its parent any more.
  void copy_properties(const queue &q, queue &out) {
    out.own_properties = q.own_properties;
    out.properties = q.properties;
    read_properties(out);
    const auto &from = q.leaf ? from_.orders.queues.of_applications : from_.orders.queues.of_queues;
    const auto own = std::find_if(from.begin(), from.end(), [&](const auto &p) { return p.second.get() == q.order; });
    out.order = (q.leaf ? to_.orders.queues.of_applications : to_.orders.queues.of_queues).at(own->first).get();
  }

  void copy_node(const node &n) {
    node &out = to_.nodes.add(n.id);
    nodes_[n.slot] = &out;
    out.allocations.reserve(n.allocations.size());
    to_.changes.apply(capacity_set{out, n.capacity});
    to_.changes.apply(occupied_set{out, n.occupied});
    ledger::copy(out.state, n.state);
    std::vector<named_text> attributes;
    for (const auto &[key, value] : n.attributes) attributes.push_back({key, value});
    to_.changes.apply(attributes_set{out, attributes});
    to_.changes.apply(node_stored{out});
    to_.queues.count_capacity(out.capacity, {});
  }

  node &copy_of_node(const node &of) { return *nodes_[of.slot]; }

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
    out.started_ms = app.started_ms;
    out.said_creation_ms = app.said_creation_ms;
    out.execution_timeout_ms = app.execution_timeout_ms;
    out.hard_gang = app.hard_gang;
    if (!app.state_log.empty()) out.state_log = {app.state_log.back()};
    out.placeholder_ask = app.placeholder_ask;
    out.direct_running = app.direct_running;
    out.independent = app.independent;
    out.first_bind_ms = app.first_bind_ms;
    out.in_canary = app.in_canary;
    if (const auto by = sortings_.find(app.nodes_by); by != sortings_.end()) out.nodes_by = by->second;
    to_.limits.attach(out);
    out.place = app.place;
    if (out.place != limit_place::none) to_.changes.apply(limit_runs{out, true});
    to_.application_states.count_up(out, app.counted);
    for (const auto &[name, g] : app.task_groups) to_.gangs.restore_ended(out, name, g.replaced, g.timed_out);
  }

  // It stands in no line so far.
  void copy_ask(const ask &a) {
    ask &out = to_.allocation_states.create_ask(applications_.of(*a.owner), a.key.view());
    asks_.note(a, out);
    out.priority = a.priority;
    to_.changes.apply(ask_filled{out, a.max_allocations});
    to_.changes.apply(ask_placed{out, a.placed});
    out.arrival = a.arrival;
    out.create_time_ms = a.create_time_ms;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempt_self = a.preempt_self;
    out.preempt_other = a.preempt_other;
    ledger::copy(out.state, a.state);
    if (a.more_said != nullptr) {
      out.details().execution_timeout_ms = a.execution_timeout_ms();
      out.details().tags = a.tags();
    }
    if (a.gang != nullptr) out.gang = to_.gangs.group_named(*out.owner, a.gang->name);
    out.class_id = class_of(a, out);
    if (a.state == ask_state::pending) to_.allocation_states.add_pending_of(out, a.pending());
    if (a.wait == nullptr) return;
    ask_wait &wait = ask_wait::of(out, to_.waits);
    wait.reserve_from_ms = a.wait->reserve_from_ms;
    wait.preempt_from_ms = a.wait->preempt_from_ms;
    for (const node_refusal &r : a.wait->refusals) {
      to_.checks.remember(out, {&copy_of_node(*r.where), r.reason, r.failed_starts, r.until_ms});
    }
  }

  static constexpr uint32_t no_class = ~uint32_t{0};

  // What a score reads of an ask is the ask's. Where no order reads any, the class alone says which one its copy has.
  // Other predicates tell asks apart in other ways.
  uint32_t class_of(const ask &a, ask &out) {
    const ask_class &c = from_.classes[a.class_id];
    if (policies_.are_replaced()) return to_.classifier.classify(c.required_node, out, c.need, c.devices).id;
    uint32_t &known = classes_[a.class_id];
    if (known != no_class && !scores_read_asks_) return known;
    return known = to_.classifier.copied_class(c, out, to_.verdicts.copy_of(c.judged)).id;
  }

  uint32_t plain_class(uint32_t class_id) {
    const ask_class &c = from_.classes[class_id];
    uint32_t &known = plain_[class_id];
    if (known == no_class) known = to_.classifier.plain_class(c.need, c.devices).id;
    return known;
  }

  void copy_allocation(const allocation &x) {
    ask &of = asks_.of(*x.from);
    allocation_terms terms;
    terms.class_id = plain_class(x.class_id);
    terms.priority = x.priority;
    terms.placeholder = x.placeholder;
    terms.originator = x.originator;
    terms.preempt_self = x.preempt_self;
    terms.bound = x.bound;
    if (x.gang != nullptr) terms.gang = to_.gangs.group_named(*of.owner, x.gang->name);
    terms.create_time_ms = x.create_time_ms;
    allocation &out = to_.allocation_states.copy(x.sequence, x.bind_time_ms, x.state, of, copy_of_node(*x.where), terms,
                                                 from_.held_devices_of.text_of(x.devices));
    allocations_.note(x, out);
  }

  // The node's occupied amounts have it already.
  void copy_foreign(const allocation &x) {
    node &n = copy_of_node(*x.where);
    allocation &out = to_.allocations.create();
    out.foreign = true;
    out.foreign_key = std::make_unique<const std::string>(x.key());
    out.where = &n;
    out.class_id = plain_class(x.class_id);
    ledger::copy(out.state, x.state);
    to_.foreign.emplace(out.key(), &out);
    n.foreign.push_back(&out);
    if (x.devices != no_record) to_.holdings.keep(out.devices, from_.held_devices_of[x.devices].held);
  }

  void copy_replacement(const replacement &r) {
    allocation &placeholder = allocations_.of(*r.placeholder);
    ask &real = asks_.of(*r.real);
    allocation_terms terms = r.terms;
    terms.class_id = plain_class(r.terms.class_id);
    if (terms.gang != nullptr) terms.gang = to_.gangs.group_named(*real.owner, terms.gang->name);
    replacement &out = to_.replacements.make(real, placeholder, copy_of_node(*r.where), {}, &terms);
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
      if (a->wait->victims->empty()) continue;
      std::vector<allocation *> victims;
      for (const allocation *x : a->wait->victims) victims.push_back(&allocations_.of(*x));
      to_.claims.claim(asks_.of(*a), victims);
    }
  }

  void stand_as_before(const ask &a, ask &out) {
    const bool is_refused = a.state == ask_state::pending && is_copied_as_refused(a);
    if (is_refused && out.line != ask_line::reserved) to_.lines.move_to_refused(out);
  }

  void copy_counters() {
    to_.application_states.number_from(from_.application_states.next_number());
    to_.ask_intake.number_from(from_.ask_intake.next_number());
    to_.allocation_states.follow(from_.allocation_states.ends_at(), from_.allocation_states.next_number());
    to_.queues.number_from(from_.queues.next_number());
    to_.reservations.number_from(from_.reservations.next_number());
  }

  // What its own making armed is void or comes at the same time, but for what is armed again here.
  void copy_timers() {
    to_.proposed.follow(from_.proposed);
    std::vector<timer> due;
    for (const timer &t : from_.shared.timers.all()) {
      if (t.where == from_.id && !from_.is_void(t)) due.push_back(t);
    }
    std::sort(due.begin(), due.end(), [](const timer &x, const timer &y) { return x.sequence < y.sequence; });
    for (const timer &t : due) copy_timer(t);
  }

  // Those of asks and keys are armed with them. Predicates that failed are not asked again, queues are not cleaned up,
  // and the partition does not end.
  void copy_timer(const timer &t) {
    const auto arm = [&](uint32_t object, uint64_t epoch) { to_.clock.arm(t.due_ms, t.kind, object, epoch); };
    switch (t.kind) {
      case timer_kind::application_state:
      case timer_kind::application_execution:
      case timer_kind::placeholders:
      case timer_kind::left_over: {
        const application &app = from_.applications[t.object];
        if (app.ended != 0) return;
        application &out = applications_.of(app);
        return arm(out.index, epoch_of(t.kind, out) = to_.clock.next_epoch());
      }
      case timer_kind::allocation_execution:
        return arm(allocations_.of(from_.allocations[t.object]).index, t.epoch);
      case timer_kind::reservation_wait: {
        const ask &of = *from_.reservations.all()[t.object].of;
        const reservation &out = *timed_reservation_of(asks_.of(of));
        return arm(out.index, out.sequence);
      }
      case timer_kind::rm_check:
        return arm(t.object, t.epoch);
      case timer_kind::quota:
        return for_each_queue(*from_.root, [&](queue &q) {
          if (q.quota.epoch == t.epoch) to_.quotas.follow(*queues_.at(&q), q.quota);
        });
      case timer_kind::app_rekey:
      case timer_kind::queue_rekey:
      case timer_kind::ask_alarm:
      case timer_kind::predicate:
      case timer_kind::drain:
      case timer_kind::cleaner:
        return;
    }
  }

  static uint64_t &epoch_of(timer_kind kind, application &app) {
    switch (kind) {
      case timer_kind::application_execution:
        return app.run_epoch;
      case timer_kind::placeholders:
        return app.placeholder_timers.waiting;
      case timer_kind::left_over:
        return app.placeholder_timers.left_over;
      default:
        return app.epoch;
    }
  }

  const partition &from_;
  partition &to_;
  policy_copier &policies_;
  std::map<const queue *, queue *> queues_;                  // any order: looked up, never walked
  std::map<const node_sorting *, node_sorting *> sortings_;  // any order: looked up, never walked
  std::vector<node *> nodes_;                                // by the slot of the original
  std::vector<uint32_t> classes_, plain_;  // by the original's id, of asks and of allocations: or no_class
  bool scores_read_asks_ = false;
  copies<application> applications_;
  copies<ask> asks_;
  copies<allocation> allocations_;
  copies<replacement> replacements_;
};

std::unique_ptr<partition> copy_of(const partition &from, core &in, partition_id as) {
  return std::move(*partition_copier::copy(from, in, as, false));
}

result<std::unique_ptr<partition>> copy_apart(const partition &from, core &in, partition_id as) {
  return partition_copier::copy(from, in, as, true);
}

}  // namespace tenon::internal
