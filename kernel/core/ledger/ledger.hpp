// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ledger: the one writer of amounts and states. Each change of changes.hpp is written down here, and nowhere else; what
// follows from it is none of the ledger's business (change_dispatcher). Where a change would bring an amount or a count
// below zero, or a state to where its table does not lead, the books are wrong, and the process ends with the change
// and its place: a scheduler that went on would allocate what is not there.
#pragma once

#include <string>
#include <string_view>

#include "ledger/links.hpp"
#include "ledger/wrong_books.hpp"
#include "model/changes.hpp"
#include "model/node_table.hpp"

namespace tenon::internal {

struct ledger_access {
  node_table &nodes;
  const resource_types &types;
};

class ledger : public links, ledger_access {
 public:
  using links::write;

  explicit ledger(const ledger_access &all) : ledger_access(all) {}

  // -- States. --
  // Moves the state by the event. False where its table has no row for that: then nothing changes.
  template <class State, class Holder>
  static bool try_transition(owned_state<State, Holder> &of, event_of<State> event) {
    const auto to = next_state(of.state_, event);
    if (to) of.state_ = *to;
    return to.has_value();
  }
  // An event that is always possible where it happens: were it not, the books would be wrong, and the process ends.
  template <class State, class Holder>
  static void transition(owned_state<State, Holder> &of, event_of<State> event) {
    if (!try_transition(of, event)) end_with_wrong_books(of.refusal(event));
  }
  // What is made as a copy of another stands where that one does.
  template <class State, class Holder>
  static void copy(owned_state<State, Holder> &to, const owned_state<State, Holder> &from) {
    to = from;
  }
  template <class State, class Holder>
  static void set(owned_state<State, Holder> &to, State saved) {
    to.state_ = saved;
  }
  template <
      one_of<node_moved, queue_moved, application_moved, allocation_made, allocation_moved, allocation_ended> Change>
  static void write(const Change &c) {
    transition(c.of.state, c.by);
  }
  static void write(const ask_moved &c) {
    transition(c.of.state, c.by);
    const bool other_number = c.by == ask_event::place || c.by == ask_event::place_last || c.by == ask_event::undo;
    if (other_number) c.of.told_ = container_word::none;
  }
  // These changes write nothing here. Others follow them.
  template <one_of<ask_forgotten, ask_withdrawn, divided_types_changed, verdicts_forgotten, placeholder_outgrown,
                   allocation_announced, allocation_dismissed, allocation_leaving, allocation_preempted,
                   application_entered, application_made, application_admitted, application_going, application_come,
                   application_grouped, application_forgotten, application_ordered, application_types_forgotten,
                   group_made, use_moved, queue_made, queue_prepared, queue_named, queues_configured, queue_retired,
                   queue_turned, queue_resized, queue_limited, quota_enforced, total_counted, canary_returned>
                Change>
  static void write(const Change &) {}
  static void write(const ask_filled &c) {
    c.of.max_allocations.edit() = c.wanted;
    c.of.told_ = container_word::none;
    c.of.told_over_ = 0;
  }
  static void write(const ask_wants &c) { c.of.max_allocations.edit() = c.wanted; }
  static void write(const ask_placed &c) {
    if (!count(c.of.placed.edit(), c.more)) [[unlikely]]
      end_below_zero({"ask_placed", "what is placed of ask ", c.of.key.view()});
  }
  static void write(const ask_replaced &c) { c.of.state.state_ = machine<ask_state>::initial; }
  static void write(const allocation_resized &c) { c.of.class_id = c.class_id; }

  // -- Where asks stand, and what waits in task groups. --
  static void write(const ask_lined_up &c) {
    c.of.line.edit() = c.to;
    c.of.group.edit() = c.group;
  }
  static void write(const ask_told &c) { c.of.told_ = c.word; }
  static void write(const group_counted &c) {
    if (!count(c.of.pending.edit(), c.pending)) [[unlikely]]
      end_below_zero({"group_counted", "the pending placeholders of task group ", c.of.name});
    if (!count(c.of.held.edit(), c.held)) [[unlikely]]
      end_below_zero({"group_counted", "the placeholders of task group ", c.of.name});
  }
  template <one_of<node_closed, node_reopened> Change>
  void write(const Change &c) {
    nodes.close(c.of.slot, c.closed);
  }

  // -- Nodes and their devices. --
  static void write(const capacity_set &c) { c.of.capacity.edit() = c.to; }
  static void write(const occupied_set &c) { c.of.occupied.edit() = c.to; }
  void write(const attributes_set &c) {
    c.of.attributes.clear();
    for (const named_text &attribute : c.to) c.of.attributes[std::string(attribute.key)] = attribute.value;
    const auto found = c.of.attributes.find("si/instance-type");
    c.of.instance_type = found == c.of.attributes.end() ? nullptr : &found->second;
    nodes.store_attributes(c.of);
  }
  void write(const node_removed &c) { nodes.remove(c.of); }
  static void write(const occupied_by &c) {
    if (!add(c.of.occupied.edit(), c.amount, c.sign)) [[unlikely]]
      end_below_zero({"occupied_by", "what is occupied on node ", c.of.id});
  }
  void write(const room_taken &c) {
    c.on.allocated.edit() += c.by.need;
    for (const class_amount &p : c.by.positive) nodes.take(c.on.slot, p.type, p.amount);
  }
  static void write(const room_given &c) {
    if (!add(c.on.allocated.edit(), c.amount, -1)) [[unlikely]]
      end_below_zero({"room_given", "what is allocated on node ", c.on.id});
  }
  static void write(const room_resized &c) {
    if (!replace(c.on.allocated.edit(), c.before, c.now)) [[unlikely]]
      end_below_zero({"room_resized", "what is allocated on node ", c.on.id});
  }
  template <one_of<node_stored, node_changed> Change>
  void write(const Change &c) {
    nodes.store(c.of, types.count());
  }
  void write(devices_set c) { nodes.devices().set(c.of.slot, std::move(c.to)); }
  void write(const devices_held &c) {
    nodes.devices().hold(c.on.slot, c.what.type, c.sign * c.what.amount, c.what.devices);
  }

  // -- Queues. --
  static void write(const queue_used &c) {
    for (queue *q = &c.leaf; q != nullptr; q = q->parent)
      if (!add(q->allocated.edit(), c.amount, c.sign)) [[unlikely]]
        end_below_zero({"queue_used", "what is allocated in queue ", q->path});
  }
  static void write(const queue_asked &c) {
    for (queue *q = &c.leaf; q != nullptr; q = q->parent)
      if (!add_times(q->pending.edit(), c.amount, c.times)) [[unlikely]]
        end_below_zero({"queue_asked", "what is pending in queue ", q->path});
  }
  static void write(const queue_ending &c) {
    for (queue *q = &c.leaf; q != nullptr; q = q->parent) {
      auto &in = c.state == allocation_state::preempting ? q->preempting : q->expiring;
      if (!add(in.edit(), c.amount, c.sign)) [[unlikely]]
        end_below_zero({"queue_ending", "what is ending in queue ", q->path});
    }
  }
  static void write(const queue_awaited &c) {
    if (!add(c.of.in->claimed.edit(), c.of.claimed, c.sign)) [[unlikely]]
      end_below_zero({"queue_awaited", "what is claimed in queue ", c.of.in->path});
    if (!add(c.of.in->awaited.edit(), c.of.kept, c.sign)) [[unlikely]]
      end_below_zero({"queue_awaited", "what is kept in queue ", c.of.in->path});
  }
  static void write(const queue_runs &c) {
    if (!count(c.of.running_apps.edit(), c.one_more ? 1 : -1)) [[unlikely]]
      end_below_zero({"queue_runs", "the running applications of queue ", c.of.path});
  }

  // -- Users and groups. --
  static void write(const limit_used &c) {
    for_each_limit(c.by, [&](usage_node &u) {
      if (!add(u.usage.edit(), c.amount, c.sign)) [[unlikely]]
        end_below_zero({"limit_used", "what is used by ", u.of->name, " in queue ", u.where->path});
    });
  }
  static void write(const limit_runs &c) {
    for_each_limit(c.who, [&](usage_node &u) {
      if (c.one_more) {
        u.running.edit().insert(&c.who);
      } else {
        u.running.edit().erase(&c.who);
      }
    });
  }

  // -- Applications. --
  static void write(const application_left &c) {
    c.of.home = nullptr;
    c.of.nodes_by = nullptr;
  }
  static void write(const application_rehomed &c) { c.of.home = &c.to; }
  static void write(const application_used &c) {
    if (!add(used(c.of, c.by_placeholder), c.amount, c.sign)) [[unlikely]]
      end_below_zero({"application_used", "what is allocated to application ", c.of.id});
  }
  static void write(const application_resized &c) {
    if (!replace(used(c.of, c.by_placeholder), c.before, c.now)) [[unlikely]]
      end_below_zero({"application_resized", "what is allocated to application ", c.of.id});
  }
  static void write(const application_asked &c) {
    if (!add_times(c.of.pending.edit(), c.amount, c.times)) [[unlikely]]
      end_below_zero({"application_asked", "what is pending of application ", c.of.id});
  }

 private:
  static resources &used(application &app, bool by_placeholder) {
    return by_placeholder ? app.placeholders.edit() : app.allocated.edit();
  }
  // These functions return false if an amount or count fell below zero. Only then do callers put together the words for
  // it: that costs as much as the change itself.
  static bool add(resources &in, const resources &amount, int sign) {
    if (sign > 0) {
      in += amount;
      return true;
    }
    in -= amount;
    return in.prune();
  }
  // Adds the amount `times` times; a negative number takes it away.
  static bool add_times(resources &in, const resources &amount, int64_t times) {
    in.add_times(amount, times);
    return times >= 0 || in.prune();
  }
  static bool replace(resources &in, const resources &before, const resources &now) {
    in -= before;
    in += now;
    return in.prune();
  }
  template <class Number>
  static bool count(Number &of, int64_t more) {
    const bool fine = more >= 0 || static_cast<int64_t>(of) >= -more;
    of += static_cast<Number>(more);
    return fine;
  }
};

}  // namespace tenon::internal
