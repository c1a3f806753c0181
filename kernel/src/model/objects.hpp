// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The objects of a partition and how they hang together. All of them belong to one partition's writer.
//
//   queue (leaf) --classes--> leaf_class --heap--> app_class --run--> ask --> allocation --> node
//                                  ^                   |
//   application -------------------+--- groups --------+
//        |
//        +--task_groups--> task_group --> placeholders, and the real asks that wait for them
//
// A leaf_class is all pending asks of one ask_class in one leaf: it is runnable or parked on one thing.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/indexed_heap.hpp"
#include "base/slab.hpp"
#include "base/sort_key.hpp"
#include "base/sorted_run.hpp"
#include "base/text_hash.hpp"
#include "model/decayed_usage.hpp"
#include "model/device_records.hpp"
#include "model/owned.hpp"
#include "model/owned_state.hpp"
#include "model/parked_unit.hpp"
#include "model/past_use.hpp"
#include "model/queue_limits.hpp"
#include "model/reservations.hpp"
#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/growing_map.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

// Objects by their own name: the key is a view of the object's text, which does not move.
template <class V>
using text_map = growing_map<std::string_view, V, text_hash, std::equal_to<>>;
using tag_list = std::vector<std::pair<std::string, std::string>>;

struct queue;
struct application;
struct ask;
struct app_class;
struct leaf_class;
struct allocation;
struct replacement;
struct task_group;
struct node;
struct sort_policy;
struct node_sorting;

struct usage_tracker;
struct frozen_tracker;

// Usage of one user or group in one queue, and the limit that holds there.
struct usage_node {
  usage_tracker *of = nullptr;
  queue *where = nullptr;
  usage_node *parent = nullptr;
  owned<resources, usage_node> usage;
  resources max;                                             // a type that is undefined is unlimited
  uint64_t max_applications = 0;                             // 0: unlimited
  owned<std::set<const application *>, usage_node> running;  // any order: asked for size, sorted where shown
  std::vector<app_class *> parked;                           // wait for usage here to fall
  std::vector<reservation *> parked_reservations;            // the same
  std::vector<application *> held;                           // wait for `running` here to shrink
};

struct usage_tracker {  // one user or group
  std::string name;
  std::map<const queue *, std::unique_ptr<usage_node>> nodes;  // any order: looked up, sorted where shown
  std::shared_ptr<const frozen_tracker> frozen;                // what readers had last
  bool touched = true;                                         // since then
};

// Where a pending ask stands in line.
enum class ask_line : uint8_t {
  none,          // nothing of it is pending
  run,           // in its app_class: the cycle tries it
  placeholders,  // in its task group, while that has placeholders
  reserved,      // in a reserved_unit: a node is kept for it
  aside,         // beside the others of its application: the resource manager refused it
};

// What an inspection said of an ask last.
enum class container_word : uint8_t { none, skipped, failed };

inline constexpr uint32_t no_ask = ~uint32_t{0};

// The RM refused a node for an ask.
struct node_refusal {
  const node *where = nullptr;
  std::string reason;  // as it said
};

// What only asks have that reserved a node, tried to preempt or were refused.
struct ask_wait {
  uint32_t index = 0;
  bool live = false;
  int64_t reserve_from_ms = INT64_MIN;  // its last reservation waited too long
  int64_t preempt_from_ms = INT64_MIN;  // its last try to preempt was not long ago
  reservation *held = nullptr;
  boost::container::small_vector<allocation *, 2> victims;  // under way for it
  std::vector<node_refusal> refusals;
  uint64_t held_off = 0;  // place among those whose last try failed for reservations of others; 0: it is none of them

  // Of the ask: made where it has none.
  static ask_wait &of(ask &a, slab<ask_wait> &all);
};

// What lines and alarms look at stands first: an ask that waits has few of its cache lines touched.
struct ask {
  uint32_t index = 0;
  uint32_t class_id = 0;
  int32_t priority = 0;
  int32_t max_allocations = 1;
  int32_t placed = 0;
  uint32_t under_way = 0;  // replacements of placeholders by it: placed, and not allocated yet
  uint32_t before_untimed = no_ask, after_untimed = no_ask;  // neighbours in its unit's list
  bool live = false;
  ask_line line = ask_line::none;
  owned_state<ask_state, ask> state;
  bool placeholder : 1 = false, originator : 1 = false, preempt_self : 1 = true, preempt_other : 1 = false;
  container_word told : 4 = container_word::none;
  uint8_t told_over : 4 = 0;  // which limits the listener knows it to be over
  application *owner = nullptr;
  app_class *group = nullptr;  // in line::run
  uint64_t alarm = 0;          // of the timer that lets it be looked at again, 0: none
  ask_wait *wait = nullptr;
  int64_t create_time_ms = 0;
  uint64_t arrival = 0;
  int64_t execution_timeout_ms = 0;
  int64_t told_at_ms = INT64_MIN / 2;                           // when the listener was told last that no node will do
  boost::container::small_vector<allocation *, 1> allocations;  // live ones, by sequence
  std::string key;
  task_group *gang = nullptr;                   // null without task group
  const std::string *priority_class = nullptr;  // that it named
  tag_list tags;

  [[nodiscard]] int32_t pending() const { return std::max(0, max_allocations - placed); }
};

inline ask_wait &ask_wait::of(ask &a, slab<ask_wait> &all) {
  if (a.wait == nullptr) a.wait = &all.create();
  return *a.wait;
}

// Asks of an application are tried by priority, then age, then arrival.
template <class Ask>
[[nodiscard]] inline bool tried_before(const Ask &a, const Ask &b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.create_time_ms != b.create_time_ms) return a.create_time_ms < b.create_time_ms;
  return a.arrival < b.arrival;
}
struct ask_before {
  bool operator()(const ask &a, const ask &b) const { return tried_before(a, b); }
};
using ask_run = sorted_run<ask, ask_before>;

struct allocation {
  uint32_t index = 0;
  bool live = false;
  bool placeholder = false, originator = false, foreign = false;
  bool preempt_self = true, bound = false;  // bound: to a node that its ask required
  bool replaced = false;                    // it took the place of a placeholder
  int32_t priority = 0;
  application *owner = nullptr;  // null when foreign
  node *where = nullptr;
  ask *from = nullptr;  // null when foreign
  uint64_t sequence = 0;
  uint32_t class_id = 0;                 // of the resources
  uint32_t app_slot = 0, node_slot = 0;  // positions in the owner's and the node's lists
  uint32_t devices = no_record;          // that it holds
  owned_state<allocation_state, allocation> state;
  int64_t create_time_ms = 0, bind_time_ms = 0;
  int64_t placeholder_created_ms = 0;              // of the one that it replaced
  task_group *gang = nullptr;                      // null without task group
  replacement *under_way = nullptr;                // of a placeholder that is Replacing
  replacement *offered = nullptr;                  // one that is proposed in its place
  std::unique_ptr<const std::string> foreign_key;  // null unless foreign

  [[nodiscard]] const std::string &key() const { return from != nullptr ? from->key : *foreign_key; }
};
struct sequence_before {
  bool operator()(const allocation &a, const allocation &b) const { return a.sequence < b.sequence; }
};

// What an allocation takes over from its ask, or from what the RM reports.
struct allocation_terms {
  uint32_t class_id = 0;
  int32_t priority = 0;
  bool placeholder = false, originator = false, preempt_self = true, bound = false;
  task_group *gang = nullptr;
  int64_t create_time_ms = 0, execution_timeout_ms = 0;
};

// An allocation to be, on the terms of when it was decided: made when its placeholder is gone. On another node
// than the placeholder's it takes room there meanwhile.
struct replacement {
  uint32_t index = 0;
  bool live = false;
  allocation *placeholder = nullptr;
  ask *real = nullptr;
  node *where = nullptr;
  allocation_terms terms;
  uint32_t devices = no_record;  // that it is to have, and holds already where it takes room
  uint64_t number = 0;           // while it is proposed

  [[nodiscard]] bool elsewhere() const { return where != placeholder->where; }
};

// What the RM has not answered yet: an allocation in state Proposed, or a replacement.
struct proposal {
  uint64_t number = 0;
  allocation *made = nullptr;
  replacement *instead = nullptr;
  int64_t execution_timeout_ms = 0;

  [[nodiscard]] ask &of() const { return made != nullptr ? *made->from : *instead->real; }
  [[nodiscard]] node &where() const { return made != nullptr ? *made->where : *instead->where; }
  [[nodiscard]] bool is_placeholder() const { return made != nullptr && made->placeholder; }
};

// Where a proposal is found, and its deadline.
struct open_proposal {
  application *owner = nullptr;
  uint32_t armed = 0;         // how often it was armed
  bool has_deadline = false;  // the last one is in force
};

// Whether an application counts towards maxapplications of its user and group.
enum class limit_place : uint8_t {
  none,
  offered,  // as long as what the RM checks may still become its first allocation
  taken     // until nothing of it is allocated or pending
};

inline constexpr uint32_t no_class = ~uint32_t{0};

// The placeholders of one name in an application, and the real asks that wait for them.
struct task_group {
  std::string_view name;  // the key under which its application has it
  application *owner = nullptr;
  uint32_t first_class = no_class;                    // of the first placeholder
  int64_t pending = 0;                                // placeholders that are asked for
  int64_t held = 0;                                   // placeholder allocations, whatever their state
  sorted_run<allocation, sequence_before> allocated;  // those in state Allocated, none proposed in their place
  boost::container::small_vector<std::pair<uint32_t, uint32_t>, 1> sizes;  // of these: class and number
  ask_run waiting;                                                         // pending real asks, while in_force()
  bool in_play = false;                                                    // some wait and some are Allocated
  size_t next = 0;                                                         // of `waiting`, while pass B looks at it
  boost::container::small_vector<uint32_t, 2> hopeless;                    // classes for which that found nothing
  int64_t replaced = 0, timed_out = 0;                                     // placeholders that ended

  [[nodiscard]] bool in_force() const { return pending > 0 || held > 0; }
};

// Pending asks of one class in one application, in the order in which they are tried.
struct app_class {
  uint32_t index = 0;
  bool live = false;
  application *owner = nullptr;
  leaf_class *unit = nullptr;
  ask_run run;
  uint32_t position = not_in_heap;
  usage_node *parked_on = nullptr;  // a user or group limit
  type_index parked_type = no_type;

  [[nodiscard]] bool empty() const { return run.empty(); }
  [[nodiscard]] ask *first() const { return run.first(); }
};

// What pass B of the cycle knows of an application: written by the gangs alone.
struct gang_part {
  std::vector<task_group *> in_play;  // any order: the asks in them have one
  uint32_t position = not_in_heap;
  bool stuck = false;  // nothing could be replaced, and nothing changed since
};

// Timers of an application's placeholders, and of those left over; 0: it does not run.
struct placeholder_epochs {
  uint64_t waiting = 0, left_over = 0;
};

struct application {
  uint32_t index = 0;
  bool live = false;
  std::string id;
  queue *home = nullptr;
  std::string user;
  std::vector<std::string> groups;
  tag_list tags;
  owned_state<application_state, application> state;
  std::vector<std::pair<int64_t, application_state>> state_log;
  uint64_t submission = 0;  // order of arrival in the partition
  uint64_t ended = 0;       // order of end; 0: it has not
  int64_t submitted_ms = 0, started_ms = 0, finished_ms = 0;
  int64_t execution_timeout_ms = 0;
  int64_t said_creation_ms = 0;  // when it was created, as its RM says; 0: it does not
  owned<resources, application> allocated, placeholders, pending;
  resources placeholder_ask;
  past_use past;
  bool hard_gang = false, direct_running = false, independent = false, forced = false;
  bool counted = false;  // in running_apps of its queues
  limit_place place = limit_place::none;
  bool key_dirty = false;
  uint8_t told_held = 0;         // why the listener knows it to be held
  uint64_t epoch = 0;            // of the state: timers of an older one are void
  int32_t priority = INT32_MIN;  // highest of its pending asks
  text_map<ask *> asks;          // pending or with allocations
  std::vector<allocation *> allocations;
  std::vector<app_class *> classes;
  std::vector<const leaf_class *> units;  // of `classes`, in their order: one is found without a look at the others
  app_class *last_group = nullptr;        // of the last ask that came: the next one is often alike
  sort_key key;
  std::array<uint64_t, 4> prepared{};  // by its queue's order
  node_sorting *nodes_by = nullptr;    // that it chose; null: its partition's
  std::vector<decayed_usage> decayed;  // that its queue's order reads
  queue *held_by = nullptr;            // maxapplications of this queue
  usage_node *held_by_limit = nullptr;
  usage_node *user_usage = nullptr;  // in its leaf
  usage_node *group_usage = nullptr;
  std::string group;            // the one whose limits hold, or ""
  std::string submitted_queue;  // as the RM sent it
  uint64_t run_epoch = 0;       // of its execution timer, 0: none
  std::string message;

  std::map<std::string, task_group, std::less<>> task_groups;
  gang_part gang;
  uint32_t placeholder_count = 0;     // of its allocations
  uint32_t under_way = 0;             // replacements
  int64_t first_bind_ms = INT64_MAX;  // of its placeholders since it is Accepted
  placeholder_epochs placeholder_timers;
  ask_run aside;                            // asks in line::aside
  ask_run reserved;                         // asks in line::reserved
  std::vector<reservation *> reservations;  // in the order in which they were made
  std::vector<proposal> proposals;          // by number
  uint64_t kept_bytes = 0;                  // of it in kept_amounts

  // Null: it has none of that key.
  [[nodiscard]] ask *ask_named(std::string_view wanted) const {
    const auto found = asks.find(wanted);
    return found == asks.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool runs() const {
    return state == application_state::accepted || state == application_state::starting ||
           state == application_state::running;
  }
  [[nodiscard]] bool held() const { return held_by != nullptr || held_by_limit != nullptr; }
  [[nodiscard]] const resources &used(bool by_placeholders) const { return by_placeholders ? placeholders : allocated; }
  // By its queue's order; 0: it is not, or nobody knows until when.
  [[nodiscard]] int64_t left_out_until_ms() const {
    return key.held_back() && key.not_before_ms != INT64_MAX ? key.not_before_ms : 0;
  }
  [[nodiscard]] bool eligible() const { return runs() && !held() && !key.held_back(); }
};

// Applications with something to replace: the first that was submitted is the first to be looked at.
struct gang_before {
  bool operator()(const application &a, const application &b) const { return a.submission < b.submission; }
};
struct gang_position {
  uint32_t &operator()(application &a) const { return a.gang.position; }
  const uint32_t &operator()(const application &a) const { return a.gang.position; }
};
struct gang_prefix {
  key_prefix operator()(const application &a) const { return {a.submission, 0}; }
};
using gang_heap = indexed_heap<application, gang_before, gang_position, gang_prefix>;

struct app_class_before {
  bool operator()(const app_class &a, const app_class &b) const {
    if (const int order = a.owner->key.compare(b.owner->key); order != 0) return order < 0;
    return a.owner->submission < b.owner->submission;
  }
};
struct app_class_position {
  uint32_t &operator()(app_class &a) const { return a.position; }
  const uint32_t &operator()(const app_class &a) const { return a.position; }
};

struct app_class_prefix {
  key_prefix operator()(const app_class &a) const { return a.owner->key.prefix(); }
};

// What an ask of a unit may do, beside being placed.
enum class unit_kind : uint8_t {
  young,   // nothing: its reservation delay is not over
  mature,  // reserve a node
  urgent,  // try to preempt. Such a unit is never parked
};

// The last try of an ask of a unit to preempt that failed: at which change of the partition, of which priority, and
// whether that was for reservations of others. Written by preemption alone.
struct failed_preemption {
  uint64_t at = 0;
  int32_t priority = 0;
  bool held_off = false;
};

struct leaf_class : parked_unit {
  unit_kind kind = unit_kind::young;
  indexed_heap<app_class, app_class_before, app_class_position, app_class_prefix> ready;
  uint32_t members = 0;  // app_classes with asks, ready or not
  uint32_t position = not_in_heap;
  uint32_t first_untimed = no_ask;  // asks in it that have no alarm yet, should it be parked
  failed_preemption hopeless;
};

struct leaf_class_before {
  bool operator()(const leaf_class &a, const leaf_class &b) const {
    const app_class &x = *a.ready.top();
    const app_class &y = *b.ready.top();
    if (x.owner == y.owner) return tried_before(*x.first(), *y.first());
    return app_class_before{}(x, y);
  }
};
struct leaf_class_position {
  uint32_t &operator()(leaf_class &a) const { return a.position; }
  const uint32_t &operator()(const leaf_class &a) const { return a.position; }
};

// Units of one application differ in their first ask alone: where the key is short, that is in the prefix too.
struct leaf_class_prefix {
  std::array<uint64_t, 6> operator()(const leaf_class &a) const {
    const app_class &g = *a.ready.top();
    const ask &first = *g.first();
    std::array<uint64_t, 6> out{};
    size_t count = 0;
    const auto add = [&](uint64_t word) {
      if (count < out.size()) out[count++] = word;
    };
    for (const uint64_t word : g.owner->key.words) add(word);
    add(g.owner->submission);
    add(ascending(-int64_t{first.priority}));
    add(ascending(first.create_time_ms));
    add(first.arrival);
    return out;
  }

 private:
  static uint64_t ascending(int64_t value) { return static_cast<uint64_t>(value ^ INT64_MIN); }
};

struct queue_before;
struct queue_position;
struct queue_prefix;

enum class priority_policy : uint8_t { standard, fence };

// Where a search for victims keeps what it knows of a queue.
struct search_mark {
  uint64_t search = 0;
  uint32_t level = 0, leaf = 0, shield = 0;
};

// The timer after which a queue is brought down to its max.
struct quota_timer {
  uint64_t epoch = 0;  // 0: it does not run
  int64_t armed_ms = 0, delay_ms = 0;
};

struct queue {
  std::string name, path;
  queue *parent = nullptr;
  std::vector<std::unique_ptr<queue>> children;  // in creation order
  text_map<queue *> children_by_name;
  uint64_t sequence = 0;  // order of creation in the partition
  uint32_t frozen = 0;    // number among what readers have
  bool leaf = false, managed = true;
  bool gone = false;  // removed, and among its parent's children until the cleaner is through with them
  owned_state<object_state, queue> state;
  resources guaranteed, max;
  resources fair_max;  // root max, each configured max on the path written over it
  uint64_t max_applications = 0;
  std::map<std::string, std::string> own_properties, properties;
  acl submit_acl, admin_acl;
  child_template_config child_template;  // own or inherited
  queue_limits limits;
  uint64_t kept_bytes = 0;  // of one that is no configuration's, in kept_amounts

  owned<resources, queue> allocated, pending, preempting;
  owned<uint64_t, queue> running_apps;
  std::vector<application *> held_apps;  // wait for running_apps to fall

  bool priority_sort = true;
  priority_policy priority_rule = priority_policy::standard;
  bool has_preemption_policy = false, fence = false, intra = false, spared = false;  // its words; spared: disabled
  int64_t preemption_delay_ms = 0;
  int64_t quota_delay_ms = 0;  // 0: never
  quota_timer quota;
  search_mark mark;
  int32_t priority_offset = 0;
  int32_t priority = INT32_MIN;  // current, offset applied
  // How many of its applications, in a parent of its children, have a priority. Those without any ask are not counted.
  std::map<int32_t, uint32_t> priorities;

  sort_policy *order = nullptr;  // of the children or, in a leaf, of the applications
  sort_key key;
  std::array<uint64_t, 4> prepared{};  // by the parent's order
  std::vector<decayed_usage> decayed;  // that the parent's order reads
  bool key_dirty = false;
  uint32_t position = not_in_heap;                                                   // in the parent's ready heap
  indexed_heap<queue, queue_before, queue_position, queue_prefix> *ready = nullptr;  // children with runnable asks
  std::vector<queue *> dirty_children;

  std::vector<application *> apps;  // leaf: in submission order
  std::vector<application *> dirty_apps;
  std::map<std::pair<uint32_t, unit_kind>, std::unique_ptr<leaf_class>> classes;
  std::map<uint32_t, std::unique_ptr<reserved_unit>> reserved;
  indexed_heap<leaf_class, leaf_class_before, leaf_class_position, leaf_class_prefix> ready_classes;
  std::vector<std::vector<parked_unit *>> parked;  // by resource type: wait for headroom here

  ~queue();
  [[nodiscard]] bool has_ready() const;
};

struct queue_before {
  bool operator()(const queue &a, const queue &b) const {
    if (const int order = a.key.compare(b.key); order != 0) return order < 0;
    return a.sequence < b.sequence;
  }
};
struct queue_position {
  uint32_t &operator()(queue &a) const { return a.position; }
  const uint32_t &operator()(const queue &a) const { return a.position; }
};
struct queue_prefix {
  key_prefix operator()(const queue &a) const { return a.key.prefix(); }
};
using queue_heap = indexed_heap<queue, queue_before, queue_position, queue_prefix>;

template <class F>
void for_each_queue(queue &q, F &&f) {
  f(q);
  for (const auto &child : q.children) for_each_queue(*child, f);
}

inline queue::~queue() { delete ready; }
inline bool queue::has_ready() const { return leaf ? !ready_classes.empty() : ready != nullptr && !ready->empty(); }

struct node {
  std::string id;
  uint32_t slot = 0;  // column index
  owned_state<node_state, node> state;
  bool divided = false;  // a type of it is divided into devices
  owned<resources, node> capacity, occupied, allocated;
  std::map<std::string, std::string, std::less<>> attributes;
  const std::string *instance_type = nullptr;  // the value of that attribute; null: there is none
  std::vector<allocation *> allocations, foreign;
  std::vector<replacement *> coming;        // from placeholders on other nodes; in `allocated`
  std::vector<reservation *> reservations;  // one, or those of asks that require the node, in order
  uint64_t kept_bytes = 0;                  // of it in kept_amounts

  [[nodiscard]] bool schedulable() const { return state == node_state::schedulable; }
};

}  // namespace tenon::internal
