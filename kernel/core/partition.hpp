// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition: the objects of one cluster (the model), with who leads them through their lives, the rules, the cycle, the
// commands and the readers. Each class is told here what it reads and changes. It belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "commands/administration.hpp"
#include "commands/application_intake.hpp"
#include "commands/application_moves.hpp"
#include "commands/ask_intake.hpp"
#include "commands/canary.hpp"
#include "commands/chosen_node_orders.hpp"
#include "commands/configuration.hpp"
#include "commands/module_swap.hpp"
#include "commands/node_commands.hpp"
#include "commands/releases.hpp"
#include "core.hpp"
#include "cycle/cycle.hpp"
#include "cycle/gang_room.hpp"
#include "cycle/inspector.hpp"
#include "cycle/placeholder_pass.hpp"
#include "cycle/placer.hpp"
#include "cycle/policy_faults.hpp"
#include "cycle/queue_pass.hpp"
#include "cycle/required_node.hpp"
#include "cycle/reserved_pass.hpp"
#include "cycle/reserver.hpp"
#include "cycle/tried_room.hpp"
#include "cycle/whole_gang.hpp"
#include "explain/explainer.hpp"
#include "explain/policy_inquiry.hpp"
#include "ledger/change_writer.hpp"
#include "ledger/device_holdings.hpp"
#include "ledger/kept_counts.hpp"
#include "ledger/victim_room.hpp"
#include "lifecycle/allocation_states.hpp"
#include "lifecycle/application_states.hpp"
#include "lifecycle/ask_classifier.hpp"
#include "lifecycle/foreign_allocations.hpp"
#include "lifecycle/queue_tree.hpp"
#include "lifecycle/resource_intake.hpp"
#include "model/partition_model.hpp"
#include "outbound/decision_teller.hpp"
#include "outbound/fact_teller.hpp"
#include "outbound/reader_marks.hpp"
#include "policies/call_contexts.hpp"
#include "policies/sort_orders.hpp"
#include "queueing/ask_alarms.hpp"
#include "queueing/ask_lines.hpp"
#include "queueing/change_dispatcher.hpp"
#include "queueing/fair_max.hpp"
#include "queueing/fresh_keys.hpp"
#include "queueing/gang_turns.hpp"
#include "queueing/held_off_asks.hpp"
#include "queueing/kept_orders.hpp"
#include "queueing/limit_lines.hpp"
#include "queueing/node_fitness.hpp"
#include "queueing/preemption_times.hpp"
#include "queueing/queue_priorities.hpp"
#include "queueing/ready_index.hpp"
#include "queueing/reserved_line.hpp"
#include "queueing/sort_keys.hpp"
#include "rules/claims.hpp"
#include "rules/gangs.hpp"
#include "rules/headroom.hpp"
#include "rules/limits.hpp"
#include "rules/node_search.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/open_proposals.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/placement.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/proposal_answers.hpp"
#include "rules/proposals.hpp"
#include "rules/proposer.hpp"
#include "rules/quotas.hpp"
#include "rules/replacements.hpp"
#include "rules/required_node_preemption.hpp"
#include "rules/reservations.hpp"
#include "rules/reserved_nodes.hpp"
#include "rules/unfit_placements.hpp"
#include "rules/victim_search.hpp"
#include "snapshots/freezer.hpp"
#include "snapshots/summary.hpp"
#include "tenon/kernel/commands.hpp"

namespace tenon::internal {

template <class Room, class Command>
concept takes = requires(Room one, const Command &c) {
  one.obey(c);
};

class partition final : partition_model {
 public:
  partition(core &c, partition_id handle, std::string rm_id, std::string external_name, int64_t check_deadline,
            uint64_t registration_epoch, administrators_stops of_last);
  ~partition();

  // -- Which one it is. --
  [[nodiscard]] partition_id handle() const { return id; }
  [[nodiscard]] const std::string &full_name() const { return name; }
  [[nodiscard]] bool is_of(std::string_view rm_id) const { return rm == rm_id; }
  [[nodiscard]] const partition_model &model() const { return *this; }

  // -- Commands. Refused ones become rejecting decisions. --
  template <class Command>
  void obey(const Command &c) {
    intake.begin_command();
    const auto take = [&c](auto &one) {
      if constexpr (takes<decltype(one), Command>) one.obey(c);
    };
    const auto by_one = [&](auto &...all) {
      static_assert((takes<decltype(all), Command> + ...) == 1);
      (take(all), ...);
    };
    by_one(ask_intake, application_intake, releases, node_commands, application_moves, administration, answers,
           proposed, canary);
  }
  void obey(const tenon::check_again &c) {
    if (checks.check_again(c)) lines.wake_refused();
  }
  // Why nothing would be done; "": something would.
  template <one_of<fail_application, move_application, change_partition, change_queue, change_canary> Command>
  [[nodiscard]] std::string problem_with(const Command &c) const {
    std::string out;
    const auto ask = [&](const auto &one) {
      if constexpr (requires { one.problem_with(c); }) out = one.problem_with(c);
    };
    ask(application_intake), ask(application_moves), ask(administration), ask(canary);
    return out;
  }
  // A command, or a timer before it, has done all that it does to this partition.
  void end_command() {
    if (orders.nodes.of_canary.in_place) canary.end_command();
    quotas.stop_idle();
  }

  // Lists of the kernel that have it.
  struct {
    bool awake = false, touched = false, changed = false, read = false;
  } listed;

  // -- Its configuration. --
  [[nodiscard]] std::string check(const partition_config &c) { return configuration.check(c); }  // "" or why not
  void configure(const partition_config &c, const std::map<std::string, int32_t> &classes_of_priority) {
    inspector.end_round();
    configuration.apply(c, classes_of_priority);
  }
  void leave_out() { administration.leave_out(); }
  // Of what another build of a module brings into it.
  [[nodiscard]] internal::module_swap module_swap() {
    return internal::module_swap(
        {shared, config, types, orders, placement, verdicts, keys, classifier, faults, changes});
  }
  [[nodiscard]] bool is_over() const { return administration.is_over(); }

  // -- Its resource manager. --
  void pause(bool rm_is_away);
  void rm_is_here(bool is);  // it came back, or is lost
  bool wake_refused();       // what it refused. False: that is nothing

  // -- Decisions, and what time brings. --
  [[nodiscard]] bool has_work() const { return cycle.has_work(); }
  // Whether nothing but a command or a timer can bring it work. So decide() changes nothing until then.
  [[nodiscard]] bool is_idle() const { return cycle.is_idle(); }
  bool decide() { return orders.nodes.of_canary.in_place ? decide_with_canary() : cycle.decide(); }
  bool inspect(uint32_t most);  // true: of a round in parts some are to come
  // Whether nothing is to happen when it is due, now or ever again. Only others are fired.
  [[nodiscard]] bool is_void(const timer &t) const;
  void fire(const timer &t);
  void flush();  // after a drain: names of gone objects may go

  // -- Readers. --
  void freeze(snapshot_part parts, frozen_partition &out) { freezer.freeze(parts, with_canary(summary.head()), out); }
  [[nodiscard]] internal::freezer &blocks() { return freezer; }
  [[nodiscard]] partition_snapshot sums() const { return with_canary(summary.sums()); }
  void hold(const policy_fault &as_told) { verdicts.hold(as_told); }
  [[nodiscard]] explanation explain(std::string_view application, std::string_view key) {
    const node_verdicts::onlooker looks(verdicts);
    return explainer.explain(application, key);
  }
  [[nodiscard]] std::vector<policy_answer> ask_policies(const policy_question &about) {
    return policy_inquiry({contexts, *this, classes, nodes, orders.nodes, verdicts}).answers(about);
  }
  [[nodiscard]] bool checks_placements() const { return check_deadline_ms > 0; }
  [[nodiscard]] size_t open_checks() const { return proposed.count(); }
  bool describe(std::string_view application, std::string_view key, placement_view &out) const;
  [[nodiscard]] std::optional<bool> may_administer(std::string_view queue, std::string_view user,
                                                   std::span<const std::string_view> groups_of_user) const {
    return queues.may_administer(queue, user, groups_of_user);
  }
  [[nodiscard]] const kept_counts &kept() const { return keeps; }
  [[nodiscard]] kept_amounts kept_in_all() const {
    const uint64_t more = classifier.kept_bytes() + verdicts.kept_bytes() + checks.kept_bytes() + limits.kept_bytes();
    return kept_amounts(keeps.amounts()) += {0, 0, 0, more};
  }

 private:
  friend class partition_copier;
  friend class partition_restorer;
  friend class partition_saver;
  friend class rehearsal;

  void bring_about(const timer &t);
  bool decide_with_canary();
  [[nodiscard]] partition_snapshot with_canary(partition_snapshot out) const {
    out.canary = canary.standing();
    return out;
  }

  // -- Identity. --
  core &shared;
  partition_id id = partition_id::none;
  int64_t check_deadline_ms = 0;  // in which it answers what is proposed; 0: it does not check placements
  uint64_t epoch = 0;             // of the RM's registration
  partition_clock clock{shared, id};

  // -- State. --
  call_contexts contexts{shared.now_ms, shapes};
  reader_marks marks;
  std::map<std::string, int32_t> priority_classes;

  // -- What leaves the kernel. --
  fact_teller facts{{shared, name, types, classes}};
  decision_teller decisions{{shared, rm, name, id, epoch, types, classes, held_devices_of}};
  kept_counts keeps{{active, foreign, foreign_tags, nodes}};

  // -- Policies, what may run next, and what waits. --
  sort_orders orders{{nodes, shapes}};
  change_writer written{{nodes, types, keeps, marks, facts, decisions}};
  internal::victim_room victim_room{{nodes, classes}};
  change_dispatcher changes{{written, config, nodes, orders.nodes, verdicts, checks, keys, fair_maxima, priorities,
                             ready, alarms, gangs_in_turn, limit_lines, kept_orders, reserved, held_off, victim_room}};
  device_holdings holdings{{types, classes, nodes, held_devices_of, written}};
  sort_keys keys{{clock, root, orders, contexts, ready, kept_orders, faults, written}};
  fresh_keys fresh_orders{{shared, contexts}};
  node_fitness fitness{{nodes, holdings, verdicts}};
  ready_index ready{
      {root, classes, nodes, fitness, keys, alarms, lines, reserved, gangs_in_turn, kept_orders, limit_lines}};
  internal::limit_lines limit_lines{{classes, ready}};
  internal::kept_orders kept_orders{{shared, config, classes, lines, ready, reserved}};
  queue_priorities priorities{keys};
  fair_max fair_maxima{{root, total, keys}};
  ask_lines lines{{groups, ready, kept_orders, alarms, keys, priorities, reserved, gangs_in_turn, written}};
  preemption_times preempts{{config, classes}};
  ask_alarms alarms{{clock, asks, preempts, reserved, lines}};
  held_off_asks held_off{{shared, lines, alarms}};
  reserved_line reserved{{config, nodes, classes, alarms}};
  gang_turns gangs_in_turn;

  // -- How queues, applications, asks and allocations begin, change and end. --
  resource_intake intake{{*this, shared.now_ms, types, nodes, orders.nodes, contexts, changes}};
  ask_classifier classifier{{config, classes, asks, orders.nodes, lines, verdicts}};
  queue_tree queues{{root, total, orders.queues, intake, keys, limits, quotas, marks, changes, stops}};
  internal::allocation_states allocation_states{
      {clock,    classes,    asks,     texts,    allocations, waits,  held_devices_of,
       intake,   classifier, holdings, lines,    limits,      gangs,  reservations,
       held_off, claims,     proposed, proposer, proposals,   checks, application_states,
       changes}};
  internal::application_states application_states{{clock, config, classes, *this, lines, allocation_states, keys,
                                                   limit_lines, limits, reservations, proposals, replacements,
                                                   placeholder_timers, changes}};
  internal::foreign_allocations foreign_allocations{
      {shared, classes, allocations, foreign, foreign_tags, classifier, holdings, changes}};

  // -- Rules, each with what it knows. --
  internal::placement placement{{shared, types, stops, queues, quotas, changes}};
  node_verdicts verdicts{{shared, clock, name, nodes, contexts}};
  placement_checks checks{{shared, config, id, check_deadline_ms > 0, waits}};
  reserved_nodes shared_nodes{{shared, config, classes, nodes, held_devices_of, holdings, allocation_states.ends_at()}};
  node_search search{{shared, nodes, orders.nodes, contexts, faults, fitness, checks, shared_nodes, classes,
                      allocation_states.ends_at()}};
  internal::limits limits{{types, ready, limit_lines, kept_orders, reserved, changes}};
  internal::headroom headroom{{classes, nodes}};
  internal::reservations reservations{{clock, config, classes, shared_nodes, waits, lines, claims, changes}};
  internal::claims claims{{classes, waits, alarms, allocation_states, changes}};
  internal::victim_search victim_search{
      {config, reservations.all(), fitness, checks, nodes, classes, held_devices_of, total, victim_room}};
  internal::preemption preemption{
      {shared, config, classes, waits, preempts, victim_room, checks, victim_search, claims, held_off, reservations}};
  required_node_preemption on_node{
      {config, classes, nodes, held_devices_of, total, reservations, checks, claims, facts}};
  internal::quotas quotas{{clock, config, classes, claims, changes}};
  internal::gangs gangs{{lines, gangs_in_turn, changes}};
  open_proposals proposed{{clock, check_deadline_ms}};
  internal::proposer proposer{
      {shared, proposed, reservations, replacements, gangs, allocation_states, application_states, changes}};
  internal::proposals proposals{{proposed, classes, fitness, limits, replacements, gangs, placeholder_timers,
                                 allocation_states, application_states, changes}};
  proposal_answers answers{{shared, *this, nodes, proposed, proposals, checks, held_off, reservations, limits, gangs,
                            placeholder_timers, allocation_states, application_states, changes}};
  internal::replacements replacements{
      {classes, holdings, reservations, proposer, allocation_states, application_states, changes}};
  internal::placeholder_timers placeholder_timers{
      {clock, config, classes, applications, proposals, application_states}};
  unfit_placements unfit{{classes, fitness, proposed, proposals, replacements, reservations}};

  // -- The cycle. --
  internal::placer placer{{search, fitness, checks, ready, reservations, allocation_states}};
  internal::reserver reserver{{shared, reserved, headroom, ready, search, reservations}};
  internal::required_node required{{classes, nodes, fitness, checks, ready, reservations, allocation_states}};
  reserved_pass pass_a{
      {reserved, lines, classes, config, ready, headroom, reservations, checks, placer, preemption, on_node}};
  placeholder_pass pass_b{{classes, fitness, checks, placer, lines, gangs_in_turn, replacements}};
  internal::tried_room tried_room{{classes, holdings, orders.nodes, verdicts, victim_room, written}};
  internal::gang_room gang_room{{classes, reserved, reserver, search, victim_search, checks, preemption, tried_room}};
  internal::whole_gang whole_gang{
      {classes, nodes, search, fitness, checks, lines, ready, kept_orders, placer, tried_room, gang_room}};
  queue_pass pass_c{{classes, ready, kept_orders, limit_lines, lines, alarms, reserved, headroom, checks, placer,
                     whole_gang, preemption, reserver, required}};
  internal::cycle cycle{
      {shared, paused, state, ready, kept_orders, keys, fair_maxima, faults, pass_a, pass_b, pass_c, on_node}};
  policy_faults faults{{shared, name, types, orders, keys}};
  internal::inspector inspector{{shared, config, root, queues, types, classes, nodes, fresh_orders, headroom, verdicts,
                                 checks, search, whole_gang, faults, facts, changes}};

  // -- Readers. --
  internal::summary summary{{*this, *this, types, nodes, root, total, orders.nodes, allocation_states.count()}};
  internal::freezer freezer{{shared, types, classes, nodes, root, total, applications, groups, asks, allocations,
                             held_devices_of, foreign_tags, limits.users(), limits.groups(), marks}};
  internal::explainer explainer{{shared, *this, *this, types, classes, nodes, root, total, verdicts, shared_nodes,
                                 checks, preempts, victim_search, fresh_orders, config, headroom}};

  // -- Commands. --
  internal::chosen_node_orders chosen_node_orders{
      {shared, config, types, *this, orders.nodes, keys, classifier, faults}};
  internal::application_intake application_intake{{shared, *this, *this, types, intake, placement, chosen_node_orders,
                                                   canary, application_states, limits, decisions, facts, changes}};
  internal::application_moves application_moves{
      {*this, classes, types, queues, application_intake, application_states, lines, limits, claims, canary, changes}};
  internal::ask_intake ask_intake{{shared,
                                   root,
                                   classes,
                                   types,
                                   nodes,
                                   *this,
                                   priority_classes,
                                   intake,
                                   application_intake,
                                   application_states,
                                   allocation_states,
                                   foreign_allocations,
                                   classifier,
                                   orders.nodes,
                                   lines,
                                   proposals,
                                   replacements,
                                   reservations,
                                   unfit,
                                   gangs,
                                   placeholder_timers,
                                   quotas,
                                   decisions,
                                   facts,
                                   changes}};
  internal::releases releases{
      {*this, application_states, allocation_states, foreign_allocations, proposals, replacements, unfit, changes}};
  internal::node_commands node_commands{{*this,
                                         types,
                                         classes,
                                         total,
                                         nodes,
                                         intake,
                                         ask_intake,
                                         application_intake,
                                         queues,
                                         application_states,
                                         allocation_states,
                                         foreign_allocations,
                                         holdings,
                                         proposals,
                                         replacements,
                                         reservations,
                                         reserved,
                                         unfit,
                                         checks,
                                         decisions,
                                         facts,
                                         changes}};
  internal::administration administration{{clock, *this, *this, queues, application_states, changes}};
  internal::configuration configuration{
      {shared, config,           types,          *this,     asks,        nodes,
       root,   priority_classes, orders,         intake,    queues,      chosen_node_orders,
       canary, classifier,       administration, placement, verdicts,    ready,
       alarms, limits,           reservations,   reserved,  victim_room, quotas,
       faults, changes}};
  // The last, so that what every decision needs lies as close together as without it.
  internal::canary canary{{shared, config, types, *this, orders.nodes, keys, classifier, verdicts, faults, changes}};
};

}  // namespace tenon::internal
