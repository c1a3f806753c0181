// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "snapshots/restored_partition.hpp"

#include <algorithm>
#include <utility>

#include "model/gang_reservations.hpp"
#include "model/queue_properties.hpp"
#include "partition.hpp"
#include "snapshots/restored_orders.hpp"
#include "snapshots/saved_values.hpp"

namespace tenon::internal {

// As partition_copy.cpp does it, and in the same order: what refers to others is made by the functions that make it in
// the first place.
class partition_restorer {
 public:
  partition_restorer(const saved_partition &from, partition &to) : from_(from), to_(to) {}

  std::optional<refusal> run() {
    if (auto why = restore_own()) return why;
    const auto choose = [this](const std::string &name) {
      const named_text tag{"tenon/node-sort", name};
      return to_.chosen_node_orders.choose({&tag, 1});
    };
    std::string problem = restore_orders(from_, to_.orders, to_.shared.policies, to_.types.limit(), choose);
    if (!problem.empty()) return refuse(std::move(problem));
    if (!from_.has_canary) to_.verdicts.adopt_canary(nullptr);
    restore_canary_tally(from_.canary_tally);
    for (const saved_queue &q : from_.queues) restore_queue(q);
    for (const saved_node &n : from_.nodes) restore_node(n);
    for (const saved_application &app : from_.applications) {
      app.ended == 0 ? restore_application(app) : restore_ended(app);
    }
    for (const saved_ask &a : from_.asks) restore_ask(a);
    for (const saved_allocation &x : from_.allocations) restore_allocation(x);
    for (const saved_foreign &x : from_.foreign) restore_foreign(x);
    for (const saved_replacement &r : from_.replacements) restore_replacement(r);
    for (const saved_proposal &p : from_.proposals) restore_proposal(p);
    for (node *n : nodes_) {
      if (to_.holdings.divide(*n)) to_.changes.apply(divided_types_changed{});
      to_.changes.apply(node_stored{*n});
    }
    to_.fair_maxima.refresh(*to_.root);
    for (const saved_claim &c : from_.claims) restore_claim(c);
    for (const auto &[of, where, sequence, freed, empties, of_gang] : from_.reservations) {
      to_.reservations.number_from(sequence);
      const way_to_room by_itself = empties ? way_to_room::it_empties : way_to_room::as_it_comes;
      (void)to_.reservations.keep(*asks_[of], *nodes_[where], freed ? way_to_room::preemption : by_itself, of_gang);
    }
    for (size_t i = 0; i < asks_.size(); ++i) {
      if (from_.asks[i].state == ask_state::pending && asks_[i]->line == ask_line::none) to_.lines.enqueue(*asks_[i]);
    }
    for (size_t i = 0; i < asks_.size(); ++i) stand_as_before(from_.asks[i], *asks_[i]);
    for (const uint32_t a : from_.held_off) to_.held_off.add(*asks_[a]);
    for (application *app : applications_) {
      if (app->ended != 0) continue;
      to_.gangs_in_turn.changed(*app);
      to_.whole_gang.watch(*app);
    }
    restore_counters();
    to_.priorities.refresh_all(*to_.root);
    return std::nullopt;
  }

  // Those of asks and keys are armed with them.
  void arm(const saved_timer &t) {
    const auto kind = static_cast<timer_kind>(t.kind);
    const auto arm_as = [&](uint32_t object, uint64_t epoch) { to_.clock.arm(t.due_ms, kind, object, epoch); };
    switch (kind) {
      case timer_kind::application_state:
      case timer_kind::application_execution:
      case timer_kind::placeholders:
      case timer_kind::left_over: {
        application &app = *applications_[t.object];
        return arm_as(app.index, epoch_of(kind, app) = to_.clock.next_epoch());
      }
      case timer_kind::allocation_execution:
        return arm_as(allocations_[t.object]->index, allocations_[t.object]->sequence);
      case timer_kind::reservation_wait:
        if (const reservation *r = timed_reservation_of(*asks_[t.object])) arm_as(r->index, r->sequence);
        return;
      case timer_kind::rm_check:
        return arm_as(t.object, t.number);
      case timer_kind::quota: {
        const saved_queue &q = from_.queues[t.object];
        return to_.quotas.follow(*queues_[t.object], {0, q.quota_armed_ms, q.quota_delay_ms});
      }
      case timer_kind::drain:
        return to_.administration.arm_drain(t.due_ms);
      case timer_kind::cleaner:
        return arm_as(0, 0);
      case timer_kind::app_rekey:
      case timer_kind::queue_rekey:
      case timer_kind::ask_alarm:
      case timer_kind::predicate:
        return;
    }
  }

 private:
  [[nodiscard]] refusal refuse(std::string have) const {
    return {"partition " + to_.name, "what the state was saved with", std::move(have),
            "give the deployment that it was saved in"};
  }

  std::optional<refusal> restore_own() {
    ledger::set(to_.state, from_.state);
    to_.paused = from_.paused;
    to_.since_ms = from_.since_ms;
    for (const std::string &type : from_.types) to_.types.intern(type);
    to_.shapes = ask_shapes(from_.shapes);
    to_.inspector.resume(inspection_round(from_.inspection));
    std::string problem = to_.configuration.check(from_.config);
    if (!problem.empty()) return refuse(std::move(problem));
    to_.configuration.adopt(from_.config, from_.priority_classes);
    return std::nullopt;
  }

  static std::vector<decayed_usage> decayed(const std::vector<saved_decay> &from) {
    return std::vector<decayed_usage>(from.begin(), from.end());
  }

  void restore_queue(const saved_queue &q) {
    queue *parent = q.parent == not_saved ? nullptr : queues_[q.parent];
    queue &out = to_.queues.create_queue(parent, q.name, q.leaf, q.managed);
    queues_.push_back(&out);
    out.sequence = q.sequence;
    ledger::set(out.state, q.state);
    out.guaranteed = restored(q.guaranteed);
    out.max = restored(q.max);
    out.max_applications = q.max_applications;
    out.submit_acl = restored(q.submit_acl);
    out.admin_acl = restored(q.admin_acl);
    out.child_template = q.child_template;
    out.limits = queue_limits(q.limits);
    std::copy_n(q.prepared.begin(), std::min(q.prepared.size(), out.prepared.size()), out.prepared.begin());
    out.decayed = decayed(q.decayed);
    out.own_properties = q.own_properties;
    out.properties = q.properties;
    read_properties(out);
    out.order = (q.leaf ? to_.orders.queues.of_applications : to_.orders.queues.of_queues).at(q.order).get();
  }

  void restore_node(const saved_node &n) {
    node &out = to_.nodes.add(n.id);
    nodes_.push_back(&out);
    to_.changes.apply(capacity_set{out, restored(n.capacity)});
    to_.changes.apply(occupied_set{out, restored(n.occupied)});
    ledger::set(out.state, n.state);
    std::vector<named_text> attributes;
    for (const auto &[key, value] : n.attributes) attributes.push_back({key, value});
    to_.changes.apply(attributes_set{out, attributes});
    to_.changes.apply(node_stored{out});
    to_.queues.count_capacity(out.capacity, {});
  }

  void restore_application(const saved_application &app) {
    to_.application_states.number_from(app.submission);
    application &out = to_.application_states.create_application(app.id, *queues_[app.queue]);
    fill(out, app);
    if (!app.chosen_order.empty()) out.nodes_by = &to_.orders.nodes.chosen.at(app.chosen_order);
    out.in_canary = app.in_canary;
    if (app.in_canary && to_.orders.nodes.canary != nullptr) out.nodes_by = to_.orders.nodes.canary.get();
    to_.limits.attach(out);
    out.place = static_cast<limit_place>(app.place);
    if (out.place != limit_place::none) to_.changes.apply(limit_runs{out, true});
    to_.application_states.count_up(out, app.counted);
  }

  void restore_ended(const saved_application &app) {
    application &out = to_.applications.create();
    out.id = app.id;
    out.submission = app.submission;
    fill(out, app);
    out.ended = app.ended;
    to_.add_ended(out);
  }

  void fill(application &out, const saved_application &app) {
    applications_.push_back(&out);
    out.user = app.user;
    out.groups = app.groups;
    out.tags = restored(app.tags);
    std::copy_n(app.prepared.begin(), std::min(app.prepared.size(), out.prepared.size()), out.prepared.begin());
    out.decayed = decayed(app.decayed);
    ledger::set(out.state, app.state);
    for (const auto &[at_ms, state] : app.log) out.state_log.emplace_back(at_ms, state);
    out.submitted_ms = app.submitted_ms;
    out.started_ms = app.started_ms;
    out.finished_ms = app.finished_ms;
    out.said_creation_ms = app.said_creation_ms;
    out.execution_timeout_ms = app.execution_timeout_ms;
    out.placeholder_ask = restored(app.placeholder_ask);
    out.hard_gang = app.hard_gang;
    out.direct_running = app.direct_running;
    out.independent = app.independent;
    out.first_bind_ms = app.first_bind_ms;
    out.submitted_queue = app.submitted_queue;
    out.message = app.message;
    for (const auto &[name, replaced, timed_out] : app.placeholders)
      to_.gangs.restore_ended(out, name, replaced, timed_out);
  }

  [[nodiscard]] std::vector<class_devices> splits_of(const saved_need &of) const {
    std::vector<class_devices> out;
    for (const auto &[type, count, amount] : of.devices) out.push_back({type, count, amount});
    return out;
  }
  [[nodiscard]] uint32_t plain_class(uint32_t need) {
    return to_.classifier.plain_class(restored(from_.needs[need].amounts), splits_of(from_.needs[need])).id;
  }

  // It stands in no line so far.
  void restore_ask(const saved_ask &a) {
    ask &out = to_.allocation_states.create_ask(*applications_[a.application], std::string_view(a.key));
    asks_.push_back(&out);
    out.priority = a.priority;
    to_.changes.apply(ask_filled{out, a.max_allocations});
    to_.changes.apply(ask_placed{out, a.placed});
    out.arrival = a.arrival;
    out.create_time_ms = a.create_time_ms;
    out.placeholder = a.placeholder;
    out.originator = a.originator;
    out.preempt_self = a.preempt_self;
    out.preempt_other = a.preempt_other;
    ledger::set(out.state, a.state);
    if (a.execution_timeout_ms != 0 || !a.tags.empty()) {
      out.details().execution_timeout_ms = a.execution_timeout_ms;
      out.details().tags = restored(a.tags);
    }
    out.gang = to_.gangs.group_named(*out.owner, a.task_group);
    const saved_need &need = from_.needs[a.need];
    out.class_id = to_.classifier.classify(need.required_node, out, restored(need.amounts), splits_of(need)).id;
    if (a.state == ask_state::pending) to_.allocation_states.add_pending_of(out, out.pending());
    if (!a.waits) return;
    ask_wait &wait = ask_wait::of(out, to_.waits);
    wait.reserve_from_ms = a.reserve_from_ms;
    wait.preempt_from_ms = a.preempt_from_ms;
    for (const saved_ask::refused_node &r : a.refusals) {
      to_.checks.remember(out, {nodes_[r.node], r.reason, r.failed_starts, r.until_ms});
    }
  }

  void restore_allocation(const saved_allocation &x) {
    ask &of = *asks_[x.ask];
    const uint32_t need = plain_class(x.need);
    task_group *gang = to_.gangs.group_named(*of.owner, x.task_group);
    const allocation_terms terms{need,           x.priority, x.placeholder, x.originator,
                                 x.preempt_self, x.bound,    gang,          x.create_time_ms};
    allocation &out =
        to_.allocation_states.copy(x.sequence, x.bind_time_ms, x.state, of, *nodes_[x.node], terms, x.devices);
    allocations_.push_back(&out);
    out.replaced = x.replaced;
    out.placeholder_created_ms = x.placeholder_created_ms;
  }

  // The node's occupied amounts have it already.
  void restore_foreign(const saved_foreign &x) {
    node &n = *nodes_[x.node];
    allocation &out = to_.allocations.create();
    out.foreign = true;
    out.foreign_key = std::make_unique<const std::string>(x.key);
    out.where = &n;
    out.class_id = plain_class(x.need);
    out.priority = x.priority;
    out.create_time_ms = x.create_time_ms;
    out.bind_time_ms = x.bind_time_ms;
    ledger::set(out.state, x.state);
    to_.foreign.emplace(out.key(), &out);
    if (!x.tags.empty()) to_.foreign_tags.emplace(x.key, restored(x.tags));
    n.foreign.push_back(&out);
    keep(out.devices, x.devices);
  }

  void keep(uint32_t &record, const std::vector<saved_devices> &devices) {
    if (devices.empty()) return;
    held_list list;
    for (const auto &[type, amount, which] : devices) list.push_back({type, amount, which});
    to_.holdings.keep(record, list);
  }

  allocation_terms terms_of(const saved_terms &saved, const ask &real) {
    if (saved.need == not_saved) return to_.allocation_states.terms_of(real);
    const auto &[saved_need, priority, originator, preempt_self, bound, created_ms, timeout_ms, group] = saved;
    const uint32_t need = plain_class(saved_need);
    task_group *gang = to_.gangs.group_named(*real.owner, group);
    return {need, priority, false, originator, preempt_self, bound, gang, created_ms, timeout_ms};
  }

  void restore_replacement(const saved_replacement &r) {
    allocation &placeholder = *allocations_[r.placeholder];
    const allocation_terms terms = terms_of(r.terms, *asks_[r.real]);
    replacement &out = to_.replacements.make(*asks_[r.real], placeholder, *nodes_[r.node], {}, &terms);
    replacements_.push_back(&out);
    out.number = r.number;
    keep(out.devices, r.devices);
    if (r.number == 0) {
      to_.changes.apply(replacement_begun{placeholder, &out});
    } else {
      to_.gangs.leave_allocated(placeholder);
      to_.changes.apply(replacement_proposed{placeholder, &out});
    }
  }

  void restore_proposal(const saved_proposal &p) {
    application &owner = *applications_[p.application];
    proposal made;
    made.number = p.number;
    made.made = p.made == not_saved ? nullptr : allocations_[p.made];
    made.instead = p.instead == not_saved ? nullptr : replacements_[p.instead];
    made.execution_timeout_ms = p.execution_timeout_ms;
    if (p.reserved != 0) made.reserved = static_cast<way_to_room>(p.reserved - 1);
    ledger::write(proposal_made{owner, made});
    to_.proposed.add(p.number, owner);
    to_.proposed.follow(p.number, p.armed, p.has_deadline);
  }

  void restore_canary_tally(const saved_canary_tally &t) {
    const auto side = [](const saved_canary_tally::side &one) { return canary_tally::side{one.placed, one.waited_ms}; };
    to_.canary.copy(
        {t.faults, false, side(t.its), side(t.others), t.placed, t.longer, side(t.its_next), side(t.others_next)});
  }

  void restore_claim(const saved_claim &c) {
    std::vector<allocation *> victims;
    for (const uint32_t x : c.victims) victims.push_back(allocations_[x]);
    to_.claims.claim(*asks_[c.ask], victims);
  }

  void stand_as_before(const saved_ask &a, ask &out) {
    const bool is_refused = a.state == ask_state::pending && a.is_refused;
    if (is_refused && out.line != ask_line::reserved) to_.lines.move_to_refused(out);
    if (a.told != 0) to_.changes.apply(ask_told{out, static_cast<container_word>(a.told)});
  }

  void restore_counters() {
    to_.application_states.number_from(from_.next_submission);
    to_.application_states.end_from(from_.next_end);
    to_.ask_intake.number_from(from_.next_arrival);
    to_.queues.number_from(from_.next_queue);
    to_.reservations.number_from(from_.next_reservation);
    to_.proposed.deliver_to(from_.delivered_to);
    end_times ends;
    for (const auto &[sequence, at_ms] : from_.ends) ends.emplace(sequence, at_ms);
    to_.allocation_states.follow(std::move(ends), from_.next_allocation);
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

  const saved_partition &from_;
  partition &to_;
  std::vector<queue *> queues_;
  std::vector<node *> nodes_;
  std::vector<application *> applications_;
  std::vector<ask *> asks_;
  std::vector<allocation *> allocations_;
  std::vector<replacement *> replacements_;
};

administrators_stops restored_from(const saved_stops &from) {
  return {from.partition, {from.queues.begin(), from.queues.end()}, {from.nodes.begin(), from.nodes.end()}};
}

kernel_restorer::kernel_restorer(const saved_state &from) : from_(from) {}
kernel_restorer::~kernel_restorer() = default;

result<std::unique_ptr<partition>> kernel_restorer::next(core &in) {
  const saved_partition &from = from_.partitions[restorers_.size()];
  auto out = std::make_unique<partition>(in, partition_id{from.number}, from.rm, from.name, from.check_deadline_ms,
                                         from.epoch, restored_from(from.stops));
  if (auto why = restorers_.emplace_back(std::make_unique<partition_restorer>(from, *out))->run()) return *why;
  return out;
}

// In place of those that were armed where what they are about was made.
void kernel_restorer::arm(core &in) {
  std::vector<timer> own;
  while (!in.timers.empty()) {
    const timer t = in.timers.pop();
    const bool of_keys = t.kind == timer_kind::app_rekey || t.kind == timer_kind::queue_rekey;
    if (of_keys || t.kind == timer_kind::ask_alarm) own.push_back(t);
  }
  for (const timer &t : own) in.timers.arm(t.due_ms, t.kind, t.where, t.object, t.epoch);
  for (const saved_timer &t : from_.timers) restorers_[t.partition]->arm(t);
}

}  // namespace tenon::internal
