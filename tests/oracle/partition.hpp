// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Partition: the state of one cluster and the rules that change it, one source file a subject.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ask_shapes.hpp"
#include "objects.hpp"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/snapshot.hpp"
#include "usage.hpp"
#include "world.hpp"

namespace tenon::naive {

inline constexpr std::string_view recovery_queue = "root.@recovery@";

// "root.a.b" gives root, root.a and root.a.b.
[[nodiscard]] std::vector<std::string> path_down(const std::string &path);
// The value of a tag, whatever the case of its key; empty when there is none.
[[nodiscard]] std::string tag_of(const tag_map &tags, std::string_view key);
[[nodiscard]] bool is_true(const std::string &text);
[[nodiscard]] std::string lower(std::string text);
struct partition;
// Why a gang cannot run in its leaf, empty when it can.
[[nodiscard]] std::string gang_problem(const partition &p, const application &a);

// An allocation that preemption may take.
struct candidate {
  application *owner = nullptr;
  allocation *what = nullptr;
};
[[nodiscard]] bool victim_before(const candidate &a, const candidate &b);
// The place of a candidate in victim order by opting out, originator and priority alone.
using victim_rank = std::tuple<bool, bool, int32_t>;
using victim_level = std::pair<victim_rank, int64_t>;  // and how many gangs break with one of that place
[[nodiscard]] victim_rank rank_of(const candidate &c);
[[nodiscard]] victim_level level_of(std::vector<candidate> all);  // that go together
// Candidates as they are looked at: docs/decisions-preemption.md, section 3.
class lineup {
 public:
  explicit lineup(const std::vector<candidate> &all);
  std::optional<candidate> next(const std::vector<candidate> &taken);  // so far

 private:
  std::vector<std::pair<candidate, int64_t>> left_;  // and how many its group can spare
};
// The largest share that the amounts are of what the nodes have.
[[nodiscard]] double share_of(const amount_map &amounts, const amount_map &of_nodes);
[[nodiscard]] std::vector<candidate> largest_first(std::vector<candidate> taken, const amount_map &of_nodes);

struct partition {
  partition(world &w, std::string rm_id, const partition_config &c, const std::map<std::string, int32_t> &classes,
            int64_t check_deadline);

  // -- configure.cpp, cleaner included --
  // Why a configuration cannot be had, empty when it can. `now` is the partition that has it, if any.
  static std::string problem_of(const partition_config &c, partition *now, const kernel_options &options);
  void configure(const partition_config &c, const std::map<std::string, int32_t> &classes);
  void configure_queue(const queue_config &c, const std::string &parent);
  [[nodiscard]] bool is_below_leaf(const std::string &path) const;
  void leave_out();
  void clean();
  void fail_everything();
  [[nodiscard]] bool finished() const { return drains_for_a_time && applications.empty(); }

  // -- applications.cpp --
  void add_application(const tenon::add_application &c);
  void remove_application(const tenon::remove_application &c);
  application *find_application(std::string_view id);
  application *find_application(uint64_t uid);
  application &create_application(application values);
  void reject(application values, std::string why, bool keep);
  // `why` becomes the message where the state changes; empty keeps the one that is there.
  void fire(application &a, application_event e, std::string_view why = {});
  void fire_run(application &a, std::string_view why);
  // How long it is in its state.
  [[nodiscard]] int64_t since(const application &a) const { return shared.now_ms - a.state_log.back().first; }
  void enter(application &a, application_state s);
  void end(application &a);
  // Fires complete, fail or run where nothing is left of what held the application.
  void settle(application &a, bool real_went = false);
  void on_timer(const timer &t);
  void on_state_timer(application &a);
  void on_execution_timer(application &a);
  void drop_asks(application &a, termination why, const std::string &text, bool only_placeholders = false);

  // -- gangs.cpp --
  bool decide_replacement(const usage &used);
  bool replace_one(application &a, ask &k, const usage &used);
  void replace(application &a, ask &k, allocation &placeholder, const std::string &node_id, detail_map detail);
  [[nodiscard]] std::optional<detail_map> taken_over(const allocation &placeholder, const ask &k) const;
  [[nodiscard]] bool waits_for_placeholders(const application &a, const ask &k) const;
  // What takes the place of a placeholder that is gone.
  void take_place(application &a, const allocation &gone);
  // Real work runs, and no placeholder is waited for: it is Accepted no longer.
  void look_at_gang(application &a);
  // Real asks are pending again, or not, when what was to become of them breaks.
  void break_replacement(application &a, allocation &placeholder, bool pending_again);
  // None of its placeholders is placed before all of them are.
  [[nodiscard]] bool begins_whole(const application &a) const;
  [[nodiscard]] bool waits_to_begin(const application &a) const;
  [[nodiscard]] static amount_map pending_placeholders_of(const application &a);
  [[nodiscard]] bool is_guaranteed_whole(const application &a, const usage &used) const;
  // Its placeholders are as many as it named.
  [[nodiscard]] static bool has_come(const application &a);
  [[nodiscard]] static bool has_begun(const application &a);
  bool begin_whole(application &a, usage used);
  // One more of the ask is on the node, with the devices that it would have there.
  static void put_on(const ask &k, const node &n, const detail_map &chosen, usage &used);
  const node *required_node_now(const application &a, const ask &k, const usage &used);
  void arm_placeholder_timer(application &a, int64_t from_ms);
  void time_placeholders(application &a, const allocation &placed);  // a placeholder was
  void on_placeholder_timer(application &a);
  void release_placeholders(application &a, const std::string &text);
  void look_for_left_over(application &a, bool real_went);
  bool undo_placeholders(application &a, const std::string &text);  // those that are proposed

  // -- asks.cpp --
  void put_ask(const tenon::put_ask &c);
  std::string problem_of(const tenon::put_ask &c, std::string_view application_id);
  // The application of an ask that has none, not placed yet; and its placement, or why not.
  static application independent_of(const tenon::put_ask &c);
  std::string place_independent(application &a);
  // By key of their ask: placed once, when the allocations that a command reports were checked, for that makes queues.
  std::map<std::string, application, std::less<>> placed_ahead;
  void count_shape(const tenon::put_ask &c);  // ask_shapes.cpp
  ask make_ask(const tenon::put_ask &c);
  bool says_the_same(const application &a, const ask &old, const tenon::put_ask &c);
  static void forget_idle_asks(application &a);
  // Allocations of a key, replacements under way included.
  [[nodiscard]] static int32_t live_allocations(const application &a, std::string_view key);

  // -- allocations.cpp --
  void put_allocation(const tenon::put_allocation &c);
  // What it would be added to; those that come with a new node are added one by one.
  struct existing_sums {
    wide_map on_node, allocated;
  };
  std::string problem_of(const existing_allocation &c, const std::string &node_id, bool node_is_known, bool with_node,
                         existing_sums &before);
  [[nodiscard]] std::string problem_of_sums(const existing_allocation &c, const std::string &node_id, bool with_node,
                                            existing_sums &before);
  void put_existing(const existing_allocation &c, const std::string &node_id, bool with_node);
  allocation &make(application &a, const ask &from, const std::string &node_id, const detail_map &given,
                   int64_t bind_ms);
  allocation &allocate(application &a, const ask &from, const std::string &node_id, const detail_map &given,
                       int64_t bind_ms, std::string text, bool replaces = false);
  // Says that it is Allocated, and what comes of that.
  void announce(application &a, allocation x, std::string text, bool replaces);
  // Devices for what `given` does not name, as far as they are there.
  [[nodiscard]] static detail_map detail_on(const node &n, const device_map &devices, const ask &k,
                                            const detail_map &given);
  // Takes it away; an undone one makes its ask pending again.
  void remove_allocation(application &a, uint64_t sequence, bool undone = false);
  bool unplace(const application &a, ask &k);  // one of it is placed less. True: it is pending again
  static void look_at_most(application &a);
  void count_past_use(application &a, const allocation &x, const node &on) const;
  void expire(application &a, allocation &x, const std::string &text);
  void release(const tenon::release &c);
  void release_from(application &a, const tenon::release &c);
  void tell(decision_kind kind, const application &a, const allocation &x, termination why, std::string text);

  // -- proposals.cpp --
  struct proposal {
    application *owner = nullptr;
    allocation *made = nullptr;         // in state Proposed, or
    allocation *placeholder = nullptr;  // a replacement of it is proposed

    [[nodiscard]] uint64_t number() const { return made != nullptr ? made->sequence : placeholder->under_way->number; }
    [[nodiscard]] const std::string &key() const {
      return made != nullptr ? made->key : placeholder->under_way->real.key;
    }
    [[nodiscard]] const std::string &node() const {
      return made != nullptr ? made->node : placeholder->under_way->node;
    }
  };
  using which_proposals = std::function<bool(const proposal &)>;
  void propose(application &a, ask &k, const std::string &node_id, const detail_map &chosen,
               const std::optional<reservation> &own);
  void propose_replacement(application &a, const ask &k, allocation &placeholder, const std::string &node_id,
                           detail_map detail);
  void tell_replacement(decision_kind kind, const application &a, const allocation &placeholder, std::string text);
  void answer(const check_answer &c);
  void refuse(const proposal &p, const std::string &text);
  void on_check_timer(uint64_t number);
  void undo(const proposal &p, const std::string &text, bool pending_again);
  static bool takes_room_on(const std::string &node_id, const proposal &p);
  [[nodiscard]] bool lacks_room(const std::string &node_id, const amount_map &needs) const;
  std::optional<proposal> newest_beyond(const std::string &node_id);
  // By number. False: there were none.
  bool undo_all(const which_proposals &which, const std::string &text, bool pending_again);
  [[nodiscard]] std::vector<proposal> all_proposals();
  void look_at_proposals_on(const std::string &node_id);
  // Of proposals with numbers between these.
  void arm_check_timers(uint64_t above, uint64_t up_to);
  void delivered(const checks_delivered &c);
  void stop_check_timers();
  // Asks that were refused there may be proposed there again. Empty: any.
  void forget_refusals(std::string_view application, std::string_view key, std::string_view node_id);
  void forget_refusals_on(const std::string &node_id) { forget_refusals({}, {}, node_id); }

  // -- reservations.cpp --
  bool decide_reserved(const usage &used);
  bool clear_required_nodes(const usage &used);
  bool try_required(application &a, ask &k, const usage &used);
  void reserve(application &a, ask &k, const std::string &node_id, bool empties = false);
  void lose_reservation(uint64_t id, const std::string &why);  // its ask may reserve again after the delay
  bool place_left_over(const usage &used);                     // whose turn did not come
  [[nodiscard]] reservation *by_order_on(const std::string &node_id);
  void end_reservation(uint64_t id, const std::string &why);
  // A reservation ended: asks that were held off may preempt again.
  void let_try_again();
  // Of an ask, or of its gang; of an application: in order. Nothing where there is none.
  void end_reservation_of(const application &a, const ask &k, const std::string &why);
  // Something is kept for it in its queues: it preempts and is reserved.
  [[nodiscard]] bool claims_room(const ask &k) const;
  void end_reservations_of(const application &a, const std::string &why);
  void switch_off_reservations();
  void end_too_many_reservations();
  // Those whose ask may not run any more, oldest first.
  void end_idle_reservations();
  void look_at_reservations_on(const std::string &node_id);
  void arm_reservation(uint64_t id, int64_t due_ms);
  [[nodiscard]] int64_t wait_ends_ms() const;
  void wait_on(uint64_t id, ask &k);
  void on_reservation_timer(uint64_t id);
  [[nodiscard]] const reservation *reservation_of(const ask &k) const;
  [[nodiscard]] ask &ask_of_reservation(const reservation &r) const;
  // Those for a gang that begins whole, in order; and the ask that claims for one of its placeholders, or for itself.
  [[nodiscard]] std::vector<reservation> reservations_of_gang(const application &a) const;
  [[nodiscard]] const ask &claimant_of(const application &a, const ask &k) const;
  [[nodiscard]] bool is_freed_for_gang(const application &a) const;
  // The reservation is the ask's own, or one of its gang.
  [[nodiscard]] static bool is_for(const reservation &r, const application &a, const ask &k) {
    return r.ask == k.arrival || (r.of_gang && k.placeholder && r.application == a.uid);
  }
  void reserve_for_gang(application &a, ask &k, const std::string &node_id, bool empties);
  void end_one_reservation(uint64_t id, const std::string &why);
  void end_reservations_of_gangs_that_do_not_wait();
  [[nodiscard]] std::vector<reservation> reservations_on(const std::string &node_id) const;
  // What it has for the scheduler, were nothing of that on it.
  [[nodiscard]] amount_map most_on(const node &n) const;
  [[nodiscard]] bool holds(const node &n, const ask &k) const;
  [[nodiscard]] const node *node_to_reserve(const application &a, const ask &k, const usage &used);
  [[nodiscard]] std::vector<const node *> nodes_to_empty(const application &a, const ask &k, const usage &used) const;
  // The first of them that holds the ask beside so much for others of its gang, by node.
  [[nodiscard]] const node *node_to_empty(const application &a, const ask &k, const std::vector<const node *> &in_order,
                                          const std::map<std::string, amount_map> &beside);
  // Of those that have no reservation, hold the ask and are in `among`.
  [[nodiscard]] const node *least_lacking(const application &a, const ask &k, const usage &used,
                                          const std::set<std::string> &among);
  [[nodiscard]] std::set<std::string> nodes_without_reservation(const ask &k) const;
  [[nodiscard]] bool another_may_empty(const application &of);
  void place_daemon(const reservation &r, const usage &used);
  [[nodiscard]] bool waits_in_order(const application &a, const ask &k, const reservation &r) const;
  // Whether others' reservations let the ask use the node.
  [[nodiscard]] bool may_use(const node &n, const ask &k, const usage &used) const;

  // -- victims.cpp --
  bool preempt_on(ask &k, const usage &used);  // its required node
  void take_victims(std::vector<candidate> victims, uint64_t victim_of, const std::string &text);
  [[nodiscard]] bool has_victims_under_way(const ask &k) const;
  // What victims under way for the ask have in a queue and below it.
  [[nodiscard]] amount_map victims_in(const std::string &path, const ask &k) const;
  // Allocations that preemption may take at all.
  [[nodiscard]] std::vector<candidate> all_candidates(bool opted_out);

  // -- preemption.cpp --
  bool preempt(application &a, ask &k, const usage &used);
  [[nodiscard]] bool may_attempt(application &a, ask &k, const usage &used);
  void attempt(ask &k);
  // Where the ask is to be reserved, and who gives way for that; or what it waits for is ending there.
  struct room_to_make {
    const node *where = nullptr;
    bool by_waiting = false, held_off = false;
    std::vector<candidate> victims;
  };
  room_to_make find_room(application &a, ask &k, const usage &used);
  // For all placeholders of a gang, or nothing.
  struct seat {
    ask *of;
    const node *where;
    std::vector<candidate> victims;
  };
  bool make_room_for_gang(application &a, ask &by, const usage &used);
  bool find_seats(application &a, usage used, bool empties, std::set<ask *> &tried, std::vector<seat> &out);
  void end_others_on(const application &a, const ask &by, const std::string &node_id);

  // -- quotas.cpp --
  void look_at_quota(const std::string &path);
  void look_at_quotas_in(const queue &q);  // those below it first
  [[nodiscard]] amount_map beyond_max(const queue &q, const usage &used) const;
  void look_at_quotas_on(const std::string &path);
  void void_quotas();
  void on_quota_timer(const std::string &path);
  // What the children's shares left over.
  void take_the_rest(const queue &q, const amount_map &wanted, const usage &used, std::vector<candidate> &victims);
  void give_back(const queue &q, const amount_map &wanted, const usage &used, std::vector<candidate> &out);
  [[nodiscard]] bool is_over(const queue &q, const usage &used) const;

  // -- nodes.cpp --
  void add_node(const tenon::add_node &c);
  std::string problem_of(const tenon::add_node &c);
  [[nodiscard]] std::vector<std::string_view> near_nodes(const std::string &id) const;
  [[nodiscard]] std::vector<std::string_view> class_names() const;
  void update_node(const tenon::update_node &c);
  void change_node(const tenon::change_node &c);
  void change_partition(const tenon::change_partition &c);
  void change_queue(const tenon::change_queue &c);
  void fail_application(const tenon::fail_application &c);

  // -- moves.cpp --
  void move_application(const tenon::move_application &c);
  [[nodiscard]] bool may_move(const application &a, const std::string &to) const;
  [[nodiscard]] bool is_within_limits_at(const application &moved, const application &before) const;
  void decommission(const std::string &id);

  // -- types.cpp --
  // Interns the types that are new; the first that has no room is the problem.
  // The type has a place; false: all places have types that are in use.
  bool bring(const std::string &type);
  void forget_type(const std::string &type);  // what is only shown has none of it any more
  // "" or which of the names has no place.
  std::string intern(const std::vector<std::string> &names);
  [[nodiscard]] std::set<std::string> types_in_use() const;
  static std::vector<std::pair<std::string, int64_t>> amounts_in(const partition_config &c);

  // -- sums.cpp --
  // Why a sum would become too large with these; "" when none would.
  [[nodiscard]] std::string problem_of_sums(const tenon::put_ask &c, std::string_view application_id);
  [[nodiscard]] std::string problem_of_capacity(const std::string &node_id, const amount_map &capacity) const;
  [[nodiscard]] wide_map reported_together() const;
  [[nodiscard]] wide_map allocated_together() const;
  [[nodiscard]] wide_map asked_and_used() const;
  [[nodiscard]] wide_map on_node(const std::string &node_id, bool with_occupied) const;

  // -- placement.cpp --
  // Gives the application its queue, made where need be; else the reason.
  std::string place(application &a);
  std::string create_queue(const std::string &path, bool forced);
  void apply_namespace_tags(const application &a, queue &leaf);
  [[nodiscard]] bool may_submit(const application &a, const std::string &path) const;

  // -- queues.cpp --
  [[nodiscard]] const queue *find_queue(const std::string &path) const;
  [[nodiscard]] std::vector<const queue *> children_of(const std::string &path) const;
  [[nodiscard]] std::vector<const queue *> depth_first() const;
  [[nodiscard]] child_template_config template_of(const std::string &path) const;
  [[nodiscard]] amount_map max_on_path(const std::string &path) const;
  [[nodiscard]] amount_map fair_max(const std::string &path) const;
  [[nodiscard]] int32_t priority_of(const queue &q) const;
  [[nodiscard]] static int32_t offset_of(const queue &q);
  [[nodiscard]] static bool is_priority_fence(const queue &q);
  [[nodiscard]] std::set<std::string> preemption_text(const queue &q) const;
  // A property that is a duration above 0.
  [[nodiscard]] static int64_t duration_of(const queue &q, const std::string &property, int64_t otherwise_ms);
  [[nodiscard]] bool has_applications(const std::string &path, bool below) const;

  // -- usage.cpp --
  [[nodiscard]] usage measure() const;
  // What devices have free, of foreign allocations alone or of all.
  [[nodiscard]] device_map free_devices(const node &n, bool foreign_alone = false) const;
  [[nodiscard]] static free_capacity free_on(const node &n, const usage &used);
  [[nodiscard]] static bool fits_in(const node &n, const free_capacity &r, const ask &k);
  // Types of which the node has not the devices that the ask wants.
  [[nodiscard]] static std::set<std::string> without_devices(const node &n, const device_map &devices, const ask &k);
  [[nodiscard]] std::string group_of(const application &a) const;
  [[nodiscard]] static const limit_config *user_limit(const queue &q, const std::string &user);
  [[nodiscard]] static const limit_config *group_limit(const queue &q, const std::string &group);

  // -- order.cpp --
  [[nodiscard]] std::vector<const queue *> sorted_children(const queue &parent, const usage &used,
                                                           bool with_stopped = false) const;
  // With something pending; `all`: also those that have no turns.
  [[nodiscard]] std::vector<application *> sorted_applications(const queue &leaf, bool all = false);
  [[nodiscard]] static std::vector<ask *> sorted_asks(application &a);
  // The application may choose the order, or be of the canary.
  [[nodiscard]] node_sort_config node_order_of(const application &a) const;
  [[nodiscard]] std::vector<const node *> sorted_nodes(const application &a, const ask &k, const usage &used) const;
  // The devices that the order chooses for an ask that it places there; nothing where the choice cannot be had.
  [[nodiscard]] detail_map chosen_by_order(const application &a, const ask &k, const node &n, const usage &used) const;
  [[nodiscard]] std::vector<const node *> nodes_for_what_comes(const ask &k, const usage &used,
                                                               std::map<std::string, double> weights) const;

  // -- canary.cpp --
  void configure_canary(const partition_config &before);
  [[nodiscard]] bool is_canary_of_nodes() const;
  void judge_by_canary(const application &a, ask &k);
  void judge_all_by_canary();
  [[nodiscard]] bool canary_lets(const ask &k, const node &n) const;
  [[nodiscard]] bool has_canary(const application &a) const;
  [[nodiscard]] bool chose_an_order(const application &a) const;
  // A decision was looked for, and made or not; a command ends.
  void look_at_canary();
  void end_command_of_canary();
  void change_canary(const tenon::change_canary &c);
  void begin_canary();
  void take_canary_back(std::string why);
  void count_canary_fault();
  // An ask of the application is placed by a decision.
  void count_for_canary(const application &a, const ask &k);
  [[nodiscard]] std::optional<canary_snapshot> canary_standing() const;

  // -- cycle.cpp --
  bool decide();
  bool decide_in(const queue &q, const usage &used);
  // What the first ask of a leaf that waits for headroom keeps from those behind it, as far as the leaf was walked.
  struct kept_order {
    bool is_one_first = false;
    const ask *keeps = nullptr;              // those behind it back; null: nobody yet
    amount_map needs;                        // what the first one needs
    std::pair<uint64_t, std::string> first;  // submission of its application, and its key
  };
  // How long an ask waits before it keeps others back. Nothing: the leaf keeps no order.
  [[nodiscard]] std::optional<int64_t> keeps_order_after(const queue &leaf) const;
  void wait_first(const application &a, const ask &k);
  // Of a gang that has come and waits to begin: what all of it together exceeds, if that can be said.
  enum class lack { nothing, limits, headroom };
  [[nodiscard]] lack whole_lacks(const application &a, const ask &first, const usage &used) const;
  [[nodiscard]] bool is_kept_back(const application &owner, const ask &k, const usage &used) const;
  bool try_ask(application &a, ask &k, const usage &used);
  // An ask whose victims are gone, at its turn.
  bool place_by_order(application &a, ask &k, const std::string &node_id, const usage &used);
  void place(application &a, ask &k, const std::string &node_id, const detail_map &chosen);
  [[nodiscard]] bool in_stopped_queue(const application &a) const { return is_stopped(a.queue); }
  [[nodiscard]] bool is_stopped(const std::string &path) const;  // the queue, or one above it
  // As many applications as may run in a queue on its path.
  [[nodiscard]] bool is_full_for(const application &a) const;
  [[nodiscard]] bool may_run(const application &a, const usage &used) const;
  // Applications with nothing pending and nothing allocated run for nobody.
  void free_places();
  [[nodiscard]] bool within_limits(const application &a, const ask &k, const usage &used) const;
  [[nodiscard]] bool within_max(const application &a, const ask &k, const usage &used) const;
  // Beside the asks that reserved nodes, too, but for those that require theirs or had it freed by preemption.
  [[nodiscard]] bool within_max_beside_reserved(const application &a, const ask &k, const usage &used);
  // Of what the ask needs, the types that some queue on its path has too little of.
  // The ask's tag si/X=a|b names the values of the node's attribute si/X that it wants. None does while it is held.
  [[nodiscard]] bool attributes_match(const ask &k, const node &n) const;
  // It came, or is judged anew: with which others.
  void judge(const application &owner, ask &k);
  // Another build of a module: what its predicates said is forgotten.
  void swap_module(const tenon::swap_module &c);
  // What predicates failed with from this decision of the command on.
  void hold_as_told(uint64_t decision);
  [[nodiscard]] bool predicates_pass(const application &a, const ask &k, const node &n, bool allocate);
  // By the resource manager: until something changes, or at this turn of the ask alone where it is asked at once.
  [[nodiscard]] bool is_refused(const ask &k, const node &n) const;
  bool may_wait_for(const application &a, const ask &k, const node &n);
  [[nodiscard]] bool is_unanswered() const { return check_deadline_ms > 0 && !refused_at_turn.empty(); }
  void answer_about_reservation(const check_answer &c);
  // A start of the ask failed there not long ago.
  [[nodiscard]] bool waits_to_start_on(const ask &k, const node &n) const;
  void start_failed(application &a, const allocation &x) const;
  [[nodiscard]] size_t most_reserved_nodes() const;  // of one application
  [[nodiscard]] size_t reserved_nodes_of(const application &a) const;
  [[nodiscard]] const node *choose_node(const application &a, const ask &k, const usage &used);

  // -- inspect.cpp --
  // What an inspection in parts has left to look at, and what it knows of the part before.
  struct inspection_round {
    std::deque<std::string> leaves;
    uint64_t submission = 0;    // in the first one, applications up to this were looked at
    uint64_t application = 0;   // and in this one
    std::optional<ask> within;  // asks up to this
    std::optional<std::pair<uint64_t, std::string>> first;
    usage taken;  // by what is FAILED, where there is a max or a limit
  };
  // One part; `most` 0: all at once.
  struct inspection {
    uint64_t most = 0, room = 0;
    const usage used;
    usage wanted;  // and what is FAILED
  };
  void inspect(uint32_t most);
  bool inspect_leaf(const queue &leaf, inspection &part);
  // The asks behind `after`, `most` of them. The last one, if there are so many.
  std::optional<ask> inspect_application(application &a, inspection &part, const std::optional<ask> &after = {},
                                         uint64_t most = UINT64_MAX);
  void count_failed(const application &a, const ask &k, inspection &part);  // one more is FAILED
  void say_state(const application &a, ask &k, const std::string &state_now);
  // What the ask waits for; empty when a step would place it.
  std::string waits_for(const application &a, const ask &k, const usage &used, const usage &wanted);
  // The same of the placeholders of a gang that waits to begin whole, by arrival.
  std::map<uint64_t, std::string> gang_waits_for(application &a, inspection &part);
  // One more of the ask is as if it were allocated, but on no node.
  void count(const application &a, const ask &k, usage &in) const;

  [[nodiscard]] partition_snapshot snapshot() const;
  decision &emit(decision_kind kind, const std::string &application = {}, const std::string &key = {});

  world &shared;
  const partition_id handle;
  std::string rm, name, plain_name;  // name is [rm]plain_name
  int64_t created_ms = 0;
  partition_config config;
  std::map<std::string, int32_t> priority_classes;
  object_state state = object_state::active;
  bool canary_is_back = false;      // by itself, or by people
  bool canary_fails = false;        // until the command ends
  bool canary_fault_counts = true;  // no other was counted in this command
  std::string canary_why;           // it went back
  int64_t canary_since_ms = 0;      // it came, or went back
  uint32_t canary_faults = 0;       // since it came
  // Of its placements and of the others', since it came: how long each waited.
  std::vector<int64_t> canary_waits, others_waits;
  // As first_of and held_until, of its predicate.
  std::map<std::pair<std::pair<uint64_t, bool>, bool>, uint64_t> canary_first_of;
  std::map<std::pair<uint64_t, bool>, int64_t> canary_held_until;
  // How many of them were looked at, alone and to be compared.
  size_t canary_looked_at = 0, canary_compared = 0, others_compared = 0;
  bool drains_for_a_time = false;                      // the configuration leaves it out
  bool paused = false;                                 // its resource manager is away
  int64_t check_deadline_ms = 0;                       // it checks placements, and has so long; 0: it does not
  uint64_t delivered_to = 0;                           // number of the last proposal whose check it was given
  std::set<std::pair<uint64_t, std::string>> refused;  // arrival of the ask, node
  std::set<std::string> refused_at_turn;  // nodes, when the resource manager is asked at once; or no answer
  bool inspects = false;                  // nothing is refused, and every start is tried again

  std::vector<std::string> types;   // by their place; a type that comes takes that of a forgotten one
  std::set<std::string> forgotten;  // of them
  std::set<std::string> brought;    // of them, by the command
  std::map<std::string, queue> queues;
  std::map<std::string, node> nodes;
  ask_shapes shapes;
  std::vector<std::unique_ptr<application>> applications;  // active ones, by submission
  std::vector<std::unique_ptr<application>> ended;
  std::map<std::string, foreign_allocation> foreign;
  std::vector<reservation> reservations;                    // in the order in which they were made
  std::map<tag_map, uint64_t> first_of;                     // arrival of the first ask that named these attributes
  std::map<std::pair<uint64_t, bool>, int64_t> held_until;  // by the same: a predicate failed for those judged alike
  kept_order order_here;                                    // in the leaf that a decision is looked for in
  inspection_round inspected;
  uint64_t next_queue = 1, next_submission = 1, next_allocation = 1, next_arrival = 1, next_reservation = 1;
};

}  // namespace tenon::naive
