// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Change dispatcher: the one way by which amounts and states change (model/changes.hpp). The ledger writes a change
// down; then everything that depends on it follows, each in its own place: what readers have
// (told/reader_marks.hpp), and here what is stale and who wakes. Who changes something is told this class, and
// nothing else of the partition.
#pragma once

#include "ledger/ledger.hpp"
#include "policies/node_sorting.hpp"
#include "ready/ready_index.hpp"
#include "ready/sort_keys.hpp"
#include "rules/node_verdicts.hpp"
#include "rules/preemption.hpp"
#include "rules/reservations.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "told/reader_marks.hpp"

namespace tenon::internal {

class change_dispatcher {
 public:
  change_dispatcher(node_table &nodes, const resource_types &types, reader_marks &marks, const partition_config &config,
                    node_sortings &sortings, node_verdicts &verdicts, sort_keys &keys, ready_index &ready,
                    internal::reservations &reservations, internal::preemption &preemption)
      : books_(nodes, types),
        marks_(marks),
        config_(config),
        sortings_(sortings),
        verdicts_(verdicts),
        keys_(keys),
        ready_(ready),
        reservations_(reservations),
        preemption_(preemption) {}

  template <class Change>
  void apply(const Change &c) {
    books_.write(c);
    if (marks_.kept()) marks_.write(c);
    if constexpr (requires { follow(c); }) follow(c);
  }

 private:
  void follow(const room_taken &c);
  void follow(const node_changed &c);
  // The orders know nothing yet of the sums of nodes that do not divide such a type.
  void follow(divided_types_changed) {
    sortings_.for_each_order([](node_order &order) { order.touch_all(); });
  }
  void follow(const node_removed &c) { verdicts_.forget(c.of.slot); }
  void follow(const node_moved &) { preemption_.changed(); }
  void follow(const allocation_moved &c);
  void follow(const application_rehomed &) { preemption_.changed(); }
  void follow(const queue_used &c);
  void follow(const queue_asked &c);
  void follow(const queue_runs &c) {
    if (!c.one_more) ready_.wake_held(c.of);
  }
  void follow(const limit_used &c) {
    if (c.sign < 0) ready_.wake_limit(c.of);
  }
  void follow(const limit_runs &c) {
    if (!c.one_more) ready_.wake_limit(c.of);
  }
  void follow(const application_used &c) {
    keys_.changed(c.of, c.by_placeholder ? column::placeholders : column::allocated);
  }
  void follow(const application_resized &c) {
    keys_.changed(c.of, c.by_placeholder ? column::placeholders : column::allocated);
  }
  void follow(const application_asked &c) { keys_.changed(c.of, column::pending); }
  void touch_node(uint32_t slot);  // something about it changed, or whether it may be used

  ledger books_;
  reader_marks &marks_;
  const partition_config &config_;
  node_sortings &sortings_;
  node_verdicts &verdicts_;
  sort_keys &keys_;
  ready_index &ready_;
  internal::reservations &reservations_;
  internal::preemption &preemption_;
};

}  // namespace tenon::internal
