// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queues: a tree, whose leaves have applications.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/indexed_heap.hpp"
#include "base/priority_counts.hpp"
#include "base/sequence_list.hpp"
#include "base/sort_key.hpp"
#include "model/decayed_usage.hpp"
#include "model/kept_order.hpp"
#include "model/leaf_class.hpp"
#include "model/limit_line.hpp"
#include "model/object_names.hpp"
#include "model/owned.hpp"
#include "model/owned_state.hpp"
#include "model/queue_limits.hpp"
#include "model/reserved_units.hpp"
#include "model/start_line.hpp"
#include "tenon/kernel/acl.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/resources.hpp"

namespace tenon::internal {

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

// What a queue or an application says of how gangs begin.
enum class gang_start : uint8_t { by_style, piecewise, whole };

struct queue {
  std::string name, path;
  queue *parent = nullptr;
  std::vector<std::unique_ptr<queue>> children;  // in creation order
  text_map<queue *> children_by_name;
  uint64_t sequence = 0;        // order of creation in the partition
  mutable uint32_t frozen = 0;  // number among what readers have
  bool leaf = false, managed = true;
  bool gone = false;  // removed, and among its parent's children until the cleaner is through with them
  owned_state<object_state, queue> state;
  resources guaranteed, max;
  resources fair_max;  // root max, each configured max on the path written over it
  uint64_t max_applications = 0;
  std::map<std::string, std::string> own_properties, properties;
  acl submit_acl, admin_acl;
  child_template_config child_template;  // its own, see nearest_template()
  queue_limits limits;
  uint64_t kept_bytes = 0;  // of one that is no configuration's, in kept_amounts

  owned<resources, queue> allocated, pending, preempting, expiring;
  owned<resources, queue> claimed, awaited;  // by reserved asks for which preemption frees room; kept for these
  std::vector<const ask *> by_order;         // of these, in this decision: some others may go before them
  owned<uint64_t, queue> running_apps;
  closed_lines held;  // wait for running_apps to fall

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
  priority_counts priorities;

  sort_policy *order = nullptr;  // of the children or, in a leaf, of the applications
  sort_key key;
  std::array<uint64_t, 4> prepared{};  // by the parent's order
  std::vector<decayed_usage> decayed;  // that the parent's order reads
  bool key_dirty = false;
  uint32_t position = not_in_heap;                                                   // in the parent's ready heap
  indexed_heap<queue, queue_before, queue_position, queue_prefix> *ready = nullptr;  // children with runnable asks
  std::vector<queue *> dirty_children;

  sequence_list<application, submission_of> apps;  // of a leaf
  std::vector<application *> dirty_apps;
  std::map<uint32_t, std::unique_ptr<reserved_unit>> reserved;
  reserved_needs reserved_below;  // of its applications, or of those below it
  leaf_class_heap ready_classes;
  // Of a leaf: nodes that empty for asks of it, and the units that wait meanwhile for what the cluster has left.
  std::vector<reservation *> emptying;
  leaf_class_heap wait_for_cluster;
  open_lines limited;                          // of a leaf: there was room for them, and they come once they are first
  std::vector<headroom_line> parked;           // by resource type: wait for headroom here
  std::vector<parked_unit *> beside_reserved;  // those that it does not hold beside the asks that reserved nodes
  bool strict = false;                         // its property
  gang_start gangs_begin = gang_start::by_style;     // likewise
  std::unique_ptr<internal::kept_order> kept_order;  // of a leaf, once something was parked that may be first
  std::unique_ptr<start_line> starts;                // of a leaf whose order reads it, once its keys were made

  ~queue();

  // What queues made below this one take: its own template, or else that of the nearest queue above that has one now.
  [[nodiscard]] const child_template_config &nearest_template() const {
    const queue *at = this;
    while (at->child_template.empty() && at->parent != nullptr) at = at->parent;
    return at->child_template;
  }
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
  key_prefix operator()(const queue &a) const { return a.key.prefix(a.sequence); }
};
using queue_heap = indexed_heap<queue, queue_before, queue_position, queue_prefix>;

// True if the queue is `above`, or below it.
[[nodiscard]] inline bool lies_below(const queue &q, const queue &above) {
  const queue *at = &q;
  while (at != nullptr && at != &above) at = at->parent;
  return at != nullptr;
}

template <class F>
void for_each_queue(queue &q, F &&f) {
  f(q);
  for (const auto &child : q.children) for_each_queue(*child, f);
}

inline queue::~queue() { delete ready; }

}  // namespace tenon::internal
