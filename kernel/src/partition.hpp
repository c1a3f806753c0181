// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition: all state of one cluster and the rules that change it. It belongs to one thread at a time.
//
// What may run next, each rule and the cycle are classes of their rooms, with what they alone write; they are members
// here, and reach what they share through this struct. What no class has is defined by subject in partition_*.cpp of
// the room that it belongs to.
#pragma once

#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/slab.hpp"
#include "base/wide_sum.hpp"
#include "change_dispatcher.hpp"
#include "core.hpp"
#include "cycle/cycle.hpp"
#include "cycle/inspector.hpp"
#include "cycle/policy_faults.hpp"
#include "ledger/device_holdings.hpp"
#include "ledger/kept_counts.hpp"
#include "model/ask_class.hpp"
#include "model/node_table.hpp"
#include "model/objects.hpp"
#include "model/partition_model.hpp"
#include "policies/call_contexts.hpp"
#include "policies/node_sorting.hpp"
#include "policies/placement_rules.hpp"
#include "policies/policy_batch.hpp"
#include "policies/sort_policy.hpp"
#include "readers/explainer.hpp"
#include "readers/freezer.hpp"
#include "readers/summary.hpp"
#include "ready/ask_alarms.hpp"
#include "ready/ask_lines.hpp"
#include "ready/fair_max.hpp"
#include "ready/fresh_keys.hpp"
#include "ready/queue_priorities.hpp"
#include "ready/ready_index.hpp"
#include "ready/sort_keys.hpp"
#include "rules/gangs.hpp"
#include "rules/lifecycles.hpp"
#include "rules/limits.hpp"
#include "rules/node_search.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/placeholder_timers.hpp"
#include "rules/placement.hpp"
#include "rules/placement_checks.hpp"
#include "rules/preemption.hpp"
#include "rules/proposals.hpp"
#include "rules/quotas.hpp"
#include "rules/replacements.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "told/decision_teller.hpp"
#include "told/fact_teller.hpp"
#include "told/reader_marks.hpp"

namespace tenon::internal {

class text_pairs;

using property_map = std::map<std::string, std::string>;
// The value, or "".
[[nodiscard]] std::string property_of(const property_map &properties, const std::string &key);
// Of a managed queue: its own and what it inherits.
[[nodiscard]] property_map effective_properties(const property_map &parent, const property_map &own);
[[nodiscard]] bool is_leaf(const queue_config &c, bool root);
// What an order of nodes is configured with.
[[nodiscard]] std::string node_sort_json(const node_sort_config &c);

struct partition final : partition_model, allocation_lifecycle, application_lifecycle, queue_lifecycle {
  partition(core &c, uint32_t number, std::string rm_id, std::string external_name, int64_t check_deadline);
  ~partition();

  // -- Commands. Refused ones become rejecting decisions. --
  void obey(const tenon::add_application &c);
  void obey(const tenon::remove_application &c);
  void obey(const tenon::put_ask &c);
  void obey(const tenon::put_allocation &c);
  void obey(const tenon::release &c);
  void obey(const tenon::add_node &c);
  void obey(const tenon::update_node &c);
  void obey(const tenon::change_node &c);
  void obey(const check_answer &c) { proposals.answer(c); }
  void obey(const checks_delivered &c) { proposals.delivered(c); }
  void obey(const tenon::check_again &c) {
    if (checks.check_again(c)) lines.wake_refused();
  }
  // -- What people do (partition_administration.cpp). `problem` is why nothing is done. --
  void obey(const tenon::change_partition &c);
  [[nodiscard]] std::string problem_with(const tenon::change_partition &c) const;
  void obey(const tenon::change_queue &c);
  void obey(const tenon::fail_application &c);
  [[nodiscard]] std::string problem_with(const tenon::change_queue &c) const;
  [[nodiscard]] std::string problem_with(const tenon::fail_application &c) const;
  // -- Applications moved (partition_moves.cpp). --
  void obey(const tenon::move_application &c);
  [[nodiscard]] std::string problem_with(const tenon::move_application &c) const;
  [[nodiscard]] std::string problem_of_shape(const application &app, const queue &to) const;
  [[nodiscard]] std::string problem_of_usage(const application &app, const queue &to) const;
  [[nodiscard]] std::string problem_of_limits(const application &app, const queue &to) const;
  void count_in_queues(application &app, const std::vector<ask *> &waiting, int sign);
  void give_up_place(application &app);
  void leave_order(application &app);
  void join_order(application &app);
  [[nodiscard]] std::optional<bool> may_administer(std::string_view path, std::string_view user,
                                                   std::span<const std::string_view> groups) const;
  // Whether nothing is to happen when it is due, now or ever again. Only others are fired.
  [[nodiscard]] bool is_void(const timer &t) const;
  void fire(const timer &t);

  // -- Configuration. `problem` is why nothing was changed. --
  // Everything that can be refused is looked at first, so that apply_config() cannot fail.
  [[nodiscard]] std::string check_config(const partition_config &c);
  std::string check_queue(const queue_config &c, const std::string &path, uint32_t depth) const;
  std::string stage_rules(std::vector<placement_rule_config> wanted);
  std::string stage_policies(const partition_config &c);
  void apply_config(const partition_config &c, const std::map<std::string, int32_t> &priority_classes);
  void turn(object_event event);  // one that is possible
  // A configuration does not name it: it drains, and what is left after some time fails.
  void leave_out();
  void configure_queue(queue &q, const queue_config &c);
  void resolve_properties(queue &q) override;
  static void resolve_preemption(queue &q);
  void drain_queue(queue &q, bool with_dynamic);
  void inherit_template(queue &q);
  resources configured_amounts(const amount_map &from) override;
  void reconsider_asks(bool other_classes);
  // Fails what is left and gives back its allocations.
  void fail_everything();

  template <class Change>
  void apply(const Change &c) {
    changes.apply(c);
  }

  void flush();  // after a drain: names of gone objects may go

  // -- Identity. --
  core &shared;
  uint32_t id = 0;                // unique in the kernel: timers name it
  int64_t check_deadline_ms = 0;  // in which it answers what is proposed; 0: it does not check placements

  // -- State. --
  call_contexts contexts{shared.now_ms};
  reader_marks marks;
  ask_class *last_class = nullptr;  // of the last classify()
  const node_sorting *last_sorting = nullptr;
  int32_t last_priority = 0;  // of the ask that it was for
  tag_list last_tags;
  bool last_class_shared = true;                    // asks alike share it
  std::vector<std::unique_ptr<queue>> gone_queues;  // until the next drain
  std::vector<wide_sum> total_exact;                // by type, not saturated
  uint64_t allocation_count = 0;                    // live ones, foreign left out
  uint64_t next_submission = 1, next_arrival = 1, next_allocation = 1, next_queue = 1, next_end = 1;
  int64_t created_ms = 0;
  uint64_t drain_epoch = 0;  // 0: it may drain for ever
  bool gone = false;         // the cleaner or the drain timer ended it

  // What check_config() made ready for apply_config().
  struct {
    std::vector<std::unique_ptr<placement_rule>> rules;
    std::vector<std::string> types;
    std::unique_ptr<sort_policy> node_policy;
    std::vector<node_predicate> predicates;
    std::map<std::string, std::unique_ptr<sort_policy>> chosen, queue_policies, app_policies;
  } staged;

  // -- What leaves the kernel. --
  fact_teller facts{shared, name, types, classes};
  decision_teller decisions{shared, rm, name, id, types, classes, held_devices_of};

  kept_counts keeps{active, foreign, foreign_tags, nodes};
  ask_class &class_of(const class_key &key);  // which stays as long as the partition does

  // -- Policies. --
  node_sortings sortings;
  queue_orders orders;

  // -- What may run next, and what waits. --
  sort_keys keys{shared, id, root, applications, nodes, sortings, orders, contexts, ready, faults, changes};
  fresh_keys fresh_orders{shared, contexts};
  ready_index ready{root, classes, nodes, holdings, total, keys, alarms, lines, verdicts, reservations, gangs};
  queue_priorities priorities{keys};
  fair_max fair_maxima{root, total, keys};
  ask_lines lines{groups, ready, alarms, keys, priorities, reservations, gangs, changes};
  ask_alarms alarms{shared, id, asks, preemption, reservations, lines};

  // -- Rules, each with what it knows. --
  internal::placement placement{shared, types, *this, keys, fair_maxima, ready, alarms, quotas, preemption, facts};
  node_verdicts verdicts{shared, name, nodes, contexts, keeps};
  placement_checks checks{shared, name, check_deadline_ms > 0, waits, keeps};
  node_search search{shared, nodes, sortings, contexts, faults, verdicts, checks, reservations};
  internal::limits limits{types, keeps, facts, ready, reservations, changes};
  internal::reservations reservations{shared,          id,       config,  classes,   nodes,  total,
                                      held_devices_of, holdings, ends_at, sortings,  waits,  ready,
                                      lines,           alarms,   limits,  verdicts,  checks, preemption,
                                      proposals,       search,   *this,   decisions, facts,  changes};
  internal::preemption preemption{shared,       check_deadline_ms > 0,
                                  config,       classes,
                                  nodes,        held_devices_of,
                                  holdings,     total,
                                  waits,        ready,
                                  lines,        alarms,
                                  verdicts,     checks,
                                  reservations, *this,
                                  decisions,    facts,
                                  changes};
  internal::quotas quotas{shared, id, config, classes, preemption};
  internal::gangs gangs{shared, classes, nodes,        holdings, ready, lines,  verdicts,
                        checks, search,  replacements, *this,    facts, changes};
  internal::replacements replacements{shared,    check_deadline_ms > 0,
                                      classes,   held_devices_of,
                                      holdings,  reservations,
                                      proposals, *this,
                                      *this,     decisions,
                                      changes};
  internal::placeholder_timers placeholder_timers{shared, id, config, applications, proposals, *this};
  internal::proposals proposals{
      shared, id,           check_deadline_ms, classes, held_devices_of,    holdings, verdicts, checks,
      limits, reservations, replacements,      gangs,   placeholder_timers, *this,    *this,    decisions,
      changes};

  change_dispatcher changes{nodes, types, marks, config, sortings, verdicts, keys, ready, reservations, preemption};
  device_holdings holdings{types, classes, nodes, held_devices_of, changes};

  internal::cycle cycle{shared, config, paused, state,  classes,      total,      ready, keys,   fair_maxima, lines,
                        alarms, limits, checks, search, reservations, preemption, gangs, faults, *this};
  policy_faults faults{shared, name, types, sortings, orders, keys};
  internal::inspector inspector{*this,  fresh_orders, limits,    verdicts, checks,
                                search, faults,       decisions, facts,    changes};
  void inspect();

  // -- Readers. --
  internal::summary summary{*this, sortings.own, allocation_count};
  internal::freezer freezer{shared, *this, limits.users(), limits.groups(), marks};
  internal::explainer explainer{shared, *this, verdicts, reservations, checks, preemption, fresh_orders};

  end_times ends_at;  // allocations with an execution timeout, by sequence
  std::map<std::string, int32_t> priority_classes;
  std::set<std::string, std::less<>> named_classes;  // of these, past ones included, those that asks named
  std::set<score_facts> known_facts;                 // of asks that came

  // -- Queues (partition_queues.cpp). --
  [[nodiscard]] queue *find_queue(std::string_view path) const override;
  queue &create_queue(queue *parent, std::string_view name, bool leaf, bool managed) override;
  void note_changed() override { marks.touch_queues(); }
  void retire_queue(queue &q);                                         // by the cleaner, which forgets it next
  void forget_retired(queue &q);                                       // its children that are gone
  void forget_retired();                                               // in what names queues
  void count_capacity(const resources &comes, const resources &goes);  // of a node, in the root's max
  void arm_cleaner();
  void clean_queues();

  // -- Applications (partition_applications.cpp). --
  application &create_application(std::string_view id, queue &leaf);
  // What a command says of an application, as it was checked.
  struct application_terms {
    queue *leaf = nullptr;
    resources gang;
    tag_list tags;
    std::array<uint64_t, 4> prepared{};  // by the leaf's order
  };
  // "" or why no queue takes it. Queues are made where the rules allow.
  std::string check_place(const tenon::add_application &c, application_terms &out);
  application &take_in(const tenon::add_application &c, application_terms terms, bool independent);
  // The application of an independent ask, made where it is not active yet; null with the reason.
  application *independent_application(const tenon::put_ask &c, std::string &problem);
  void reject_application(const tenon::add_application &c, std::string why, bool keep);
  void run(application &app, std::string_view why) override;
  void leave_queue(application &app);
  void forget(application &app);
  void count_up(application &app, bool counted) override;
  bool move(application &app, application_event event, std::string_view why) override;
  void enter_state(application &app, application_state from);
  void note_state(application &app);
  [[nodiscard]] int64_t time_in_state(const application &app) const override;
  std::string gang_problem(const queue &leaf, const resources &gang, std::string_view app_id) const;
  void end_application(application &app);
  void execution_timed_out(application &app);
  void settle(application &app, bool real_went = false) override;

  // -- Asks (partition_asks.cpp). --
  ask_class &classify(std::string_view required_node, const ask &a, const resources &need,
                      std::vector<class_devices> devices);
  ask_class &plain_class(const resources &need, std::vector<class_devices> devices = {});  // for allocations
  struct named_amounts {
    amounts from;
    resources &to;
  };
  // "" or why not. The types of all lists are interned together or not at all.
  std::string check_amounts(std::initializer_list<named_amounts> lists);
  std::string check_need(amounts from, resources &out);  // as check_amounts, and not nothing
  std::string check_need_of(const tenon::put_ask &c, resources &need);
  // What a command says of an ask, as it was checked.
  struct ask_terms {
    application *owner = nullptr;
    resources need;
    std::vector<class_devices> devices;
    int32_t priority = 0;
  };
  // "" or why not; interns the types, and makes the application of an independent ask.
  std::string check(const tenon::put_ask &c, ask_terms &out);
  // "" or why it takes no asks; null: there is no application of that id.
  static std::string application_problem(const application *app, std::string_view app_id);
  void types_grew();
  std::string check_priority(std::string_view class_name, int32_t &priority) const;
  void fill_ask(ask &a, const tenon::put_ask &c, int32_t priority);
  void add_pending_of(ask &a, int64_t times);
  // A time of 0 is none.
  void lower_submission(application &app, int64_t create_time_ms);
  void withdraw(ask &a, termination why = termination::stopped_by_rm);
  void drop(ask &a, termination why = termination::stopped_by_rm);  // withdrawn for good
  void drop_asks(application &app, termination end, const reason &why, bool only_placeholders) override;
  static std::vector<ask *> pending_by_arrival(const application &app);
  void forget_if_done(ask &a) override;
  void reject_ask(const tenon::put_ask &c, std::string why);
  ask_wait &wait_of(ask &a) { return ask_wait::of(a, waits); }
  [[nodiscard]] bool requires_a_node(const ask &a) const { return !classes[a.class_id].required_node.empty(); }
  void forget_wait(ask &a);  // it is another ask from now on, or none

  // -- Allocations (partition_allocations.cpp). --
  void commit(ask &a, node &n) override;
  [[nodiscard]] allocation_terms terms_of(const ask &a) const override;
  uint64_t take_sequence() override { return next_allocation++; }
  allocation &place_on(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms,
                       std::string_view detail = {}, allocation_event how = allocation_event::allocate) override;
  allocation &make_allocation(ask &a, node &n, const allocation_terms &terms, int64_t bind_time_ms);
  void count_allocation(allocation &x, std::string_view detail);
  void announce(const allocation &x, const allocation_terms &terms, bool existing = false) override;
  void count_placed(ask &a) override;
  void after_placing(application &app, const allocation &x) override;
  void remove_allocation(allocation &a, allocation_event how, bool keeps_ask = false) override;
  void count_past_use(const allocation &a);
  void end_allocation(allocation &a, termination why);
  void resize(allocation &a, const resources &need, std::string_view detail);
  void move(allocation &a, allocation_event event) override;
  void expire(allocation &a, const reason &why) override;
  void expire_all(application &app, const reason &why, bool only_placeholders) override;  // those in state Allocated
  void undo(allocation &a);                                                               // its ask is pending again
  bool unplace(ask &a) override;
  // What is wrong with an existing allocation, or "". `n` is null where its node is new. As check() of an ask
  // otherwise.
  std::string check(const existing_allocation &e, const node *n, ask_terms &out);
  std::string check(const tenon::put_allocation &c, const node *n, ask_terms &out);
  void forget_unused_independent(const existing_allocation &e);
  void add_existing(const existing_allocation &e, node &n, bool node_is_new, ask_terms terms);
  void add_foreign(node &n, const existing_allocation &e, const resources &need);
  void remove_foreign(allocation &a);
  void release_of(application &app, const tenon::release &c);
  static std::vector<allocation *> by_sequence(std::vector<allocation *> list);

  // -- Nodes (partition_nodes.cpp). --
  // Whatever is allocated there.
  [[nodiscard]] bool holds(const node &n, const ask_class &c) const { return holdings.may_hold(n, c); }
  void decommission(node &n);
  void reject_node(const decided_what &what, std::string_view node_id);
  // "" or why not; interns the types.
  std::string check_node_devices(texts attributes);
  // What a command says of a node, as it was checked.
  struct node_terms {
    resources capacity, occupied;
    std::vector<ask_terms> existing;
  };
  std::string check(const tenon::add_node &c, node_terms &out);
  std::string check(const tenon::update_node &c, const node *n, node_terms &out);

  // -- Prepared words (partition_prepare.cpp). --
  // Those of an application to be; "" or why its leaf's order refuses it.
  std::string prepare_submitted(const queue &leaf, std::string_view app_id, const tag_list &tags,
                                std::array<uint64_t, 4> &words) const;
  // "" or what is wrong below the queue, whose properties in force and template from above are these.
  std::string check_prepared(const queue_config &c, const std::string &path, const property_map &properties,
                             const child_template_config &above);

  // -- Orders of nodes (partition_node_sortings.cpp). --
  node_sorting *choose_sorting(texts tags);  // null: none is chosen, or to be had
  std::unique_ptr<sort_policy> bind_chosen(const std::string &policy, const node_sort_config &c);
  void stage_chosen(const partition_config &c);
  void adopt_chosen();
  std::string bind_sort_policy(module_kind kind, const std::string &policy, const std::string &json,
                               std::unique_ptr<sort_policy> &into);  // "" or why not

  // -- Scores (partition_scores.cpp). --
  const score_facts *facts_for_score(const ask &a);
  void classify_for_score();  // the node order changed: asks may be of other classes now
};

}  // namespace tenon::internal
