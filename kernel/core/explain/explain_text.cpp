// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "explain/explain_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/one_line.hpp"
#include "tenon/kernel/held_explanation.hpp"
#include "tenon/kernel/quantity.hpp"

namespace tenon {

namespace {

// In the order of the enums.
constexpr std::array<std::string_view, static_cast<size_t>(obstacle_kind::no_victims) + 1> obstacle_names{
    "application-state",
    "partition-stopped",
    "queue-stopped",
    "queue-applications",
    "limit-applications",
    "limit-resources",
    "queue-resources",
    "cluster-resources",
    "kept-order",
    "whole-gang",
    "held-back",
    "nodes",
    "rm-refuses",
    "rm-paused",
    "placeholders",
    "reserved",
    "victims",
    "preempts-later",
    "no-victims",
};
constexpr std::array<std::string_view, static_cast<size_t>(change_kind::start_queue) + 1> change_names{
    "raise-queue-applications",
    "raise-limit-applications",
    "raise-limit-resources",
    "raise-queue-resources",
    "raise-node-capacity",
    "raise-node-devices",
    "undrain-node",
    "add-node",
    "resume-rm",
    "start-partition",
    "start-queue",
};
constexpr std::array<std::string_view, static_cast<size_t>(change_outcome::not_tried) + 1> outcome_names{
    "none", "at-its-turn", "runs", "waits", "others-first", "not-tried",
};
static_assert(!obstacle_names.back().empty());
static_assert(!change_names.back().empty());
static_assert(!outcome_names.back().empty());

}  // namespace

std::string_view name(obstacle_kind kind) { return obstacle_names[static_cast<size_t>(kind)]; }
std::string_view name(change_kind kind) { return change_names[static_cast<size_t>(kind)]; }
std::string_view name(change_outcome outcome) { return outcome_names[static_cast<size_t>(outcome)]; }

namespace internal {
namespace {

std::string owner(const std::string &who, bool group) { return (group ? "group " : "user ") + who; }

std::string numbers(const obstacle &h) {
  const auto q = [&](int64_t amount) { return format_quantity(h.type, amount); };
  return "asked " + q(h.asked) + ", free " + q(h.free) + " of " + q(h.limit) + ", short " + q(h.short_by);
}

// 2024-05-01T08:00:00.000Z
std::string utc(int64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds(ms)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day{at - day};
  const auto digits = [](int64_t n, size_t width) {
    std::string out = std::to_string(n);
    return std::string(width - std::min(width, out.size()), '0') + out;
  };
  return digits(int{date.year()}, 4) + '-' + digits(unsigned{date.month()}, 2) + '-' + digits(unsigned{date.day()}, 2) +
         'T' + digits(of_day.hours().count(), 2) + ':' + digits(of_day.minutes().count(), 2) + ':' +
         digits(of_day.seconds().count(), 2) + '.' + digits(of_day.subseconds().count(), 3) + 'Z';
}

std::string words(const obstacle &h, const node_reasons &nodes) {
  switch (h.kind) {
    case obstacle_kind::application_state:
      return "The application is " + h.name + " and not scheduled";
    case obstacle_kind::partition_stopped:
      return "Partition " + h.name + " is Stopped: nothing is scheduled in it";
    case obstacle_kind::queue_stopped:
      return "Queue " + h.queue + " is Stopped: nothing is scheduled in it";
    case obstacle_kind::queue_applications:
      return "Queue " + h.queue + " runs " + std::to_string(h.used) + " of at most " + std::to_string(h.limit) +
             " applications";
    case obstacle_kind::limit_applications:
      return "The limit of " + owner(h.name, h.group) + " in queue " + h.queue + " allows " + std::to_string(h.limit) +
             " applications, " + std::to_string(h.used) + " run";
    case obstacle_kind::limit_resources:
      return "The limit of " + owner(h.name, h.group) + " in queue " + h.queue + " has too little " + h.type + ": " +
             numbers(h);
    case obstacle_kind::queue_resources:
      return "The max of queue " + h.queue + " leaves too little " + h.type + ": " + numbers(h);
    case obstacle_kind::cluster_resources:
      return "All nodes together have too little " + h.type + ": " + numbers(h);
    case obstacle_kind::kept_order:
      return "Queue " + h.queue + " keeps the order of its asks: ask " + h.name + " is before it and needs the " +
             h.type + " that it would take";
    case obstacle_kind::whole_gang:
      return "Its gang begins whole: no placeholder is placed before " +
             (h.reason.empty() ? "all " + std::to_string(h.asked) + " fit at once" : h.reason);
    case obstacle_kind::held_back:
      return "Order " + h.policy + " of queue " + h.queue + " leaves " + h.name + " out until " +
             (h.until_ms == 0 ? "something that it reads changes" : utc(h.until_ms));
    case obstacle_kind::nodes: {
      std::string out = "None of " + std::to_string(nodes.nodes) + " nodes can hold it";
      std::string why;
      const auto add = [&](uint64_t count, const std::string &reason) {
        if (count != 0) why += (why.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
      };
      for (const auto &[type, count] : nodes.types) add(count, "too little " + type);
      for (const auto &[type, count] : nodes.devices) add(count, "too few devices of " + type + " with room for it");
      for (const auto &[reason, count] : nodes.predicates) add(count, one_line(reason));
      for (const auto &[reason, count] : nodes.refused) {
        add(count, "refused by the resource manager" + (reason.empty() ? "" : ": " + one_line(reason)));
      }
      add(nodes.not_schedulable, "not schedulable");
      return why.empty() ? out : out + ": " + why;
    }
    case obstacle_kind::rm_refuses:
      return "Resource manager " + h.name + " refuses every node that fits" +
             (h.reason.empty() ? "" : " (" + one_line(h.reason) + ")");
    case obstacle_kind::rm_paused:
      return "Resource manager " + h.name + " is not connected";
    case obstacle_kind::placeholders:
      return "It waits for the placeholders of its task group " + h.name + ": " + std::to_string(h.asked) +
             " pending, " + std::to_string(h.used) + " that must be released first";
    case obstacle_kind::reserved:
      return "Node " + h.name + " is reserved for it and has no room yet";
    case obstacle_kind::victims:
      return "It waits until " + std::to_string(h.asked) + " that give way to it are gone: " + h.name;
    case obstacle_kind::preempts_later:
      return "It tries to preempt others at " + utc(h.until_ms) + "; as things are, " + std::to_string(h.asked) +
             " on node " + h.name + " would give way";
    case obstacle_kind::no_victims:
      return "Preemption is no help: " + one_line(h.reason);
  }
  return {};
}

std::string words(const change &c) {
  const auto q = [&](int64_t amount) { return format_quantity(c.type, amount); };
  const std::string span = " from " + q(c.from) + " to " + q(c.to);
  switch (c.kind) {
    case change_kind::raise_queue_applications:
      return "raise maxapplications of queue " + c.queue + span;
    case change_kind::raise_limit_applications:
      return "raise maxapplications of the limit of " + owner(c.name, c.group) + " in queue " + c.queue + span;
    case change_kind::raise_limit_resources:
      return "raise " + c.type + " of the limit of " + owner(c.name, c.group) + " in queue " + c.queue + span;
    case change_kind::raise_queue_resources:
      return "raise max " + c.type + " of queue " + c.queue + span;
    case change_kind::raise_node_capacity:
      return "free or add " + q(c.to - c.from) + " " + c.type + " on node " + c.name + " (capacity" + span + ")";
    case change_kind::raise_node_devices:
      return "free or add " + std::to_string(c.to - c.from) + (c.to - c.from == 1 ? " device of " : " devices of ") +
             c.type + " on node " + c.name + " (devices from " + std::to_string(c.from) + " to " +
             std::to_string(c.to) + ")";
    case change_kind::undrain_node:
      return "make node " + c.name + " schedulable";
    case change_kind::add_node: {
      std::string out = "add a node";
      if (!c.name.empty()) out += " " + c.name;
      out += " that the predicates accept, with";
      for (const auto &[type, amount] : c.amounts) out += " " + type + " " + format_quantity(type, amount);
      return out;
    }
    case change_kind::resume_rm:
      return "let resource manager " + c.name + " connect again";
    case change_kind::start_partition:
      return "start partition " + c.name;
    case change_kind::start_queue:
      return "start queue " + c.queue;
  }
  return {};
}

// "raise ..., ... and ..."
std::string all_of(const std::vector<change> &changes) {
  std::string out = changes.front().text;
  for (size_t i = 1; i < changes.size(); ++i) out += (i + 1 == changes.size() ? " and " : ", ") + changes[i].text;
  return out;
}

std::string others(uint64_t count) {
  return count == 1 ? "one decision for another" : std::to_string(count) + " decisions for others";
}

// What comes of the changes, a sentence; "" where there is nothing to say.
std::string words_of_outcome(const explanation &e) {
  switch (e.outcome) {
    case change_outcome::none:
      return {};
    case change_outcome::at_its_turn:
      return e.after == 0 ? "It is placed next." : "It is placed after " + others(e.after) + ".";
    case change_outcome::runs:
      return "It would run " + (e.after == 0 ? std::string("next") : "after " + others(e.after)) + " if you " +
             all_of(e.changes) + ".";
    case change_outcome::waits: {
      if (e.changes.empty()) return {};
      std::string out = "It would still wait if you " + all_of(e.changes) + ".";
      for (const std::string &hold : e.holds) out += " " + hold + ".";
      return out;
    }
    case change_outcome::others_first:
    case change_outcome::not_tried:
      break;
  }
  if (e.changes.empty()) return {};
  return "For itself it would need you to " + all_of(e.changes) + "; " +
         (e.outcome == change_outcome::not_tried ? "whether others take that first was not tried."
                                                 : "others take that first, however much was tried.");
}

}  // namespace

change raise(change_kind kind, const obstacle &h, int64_t to) {
  change c;
  c.kind = kind;
  c.queue = h.queue;
  c.name = h.name;
  c.group = h.group;
  c.type = h.type;
  c.from = h.limit;
  c.to = to;
  return c;
}

obstacle &add_obstacle(explanation &out, obstacle_kind kind, std::string_view who) {
  obstacle &o = out.obstacles.emplace_back();
  o.kind = kind;
  o.name = who;
  return o;
}

change &add_change(explanation &out, change_kind kind, std::string_view who) {
  change &c = out.changes.emplace_back();
  c.kind = kind;
  c.name = who;
  return c;
}

void put_obstacles_as_text(explanation &e) {
  for (obstacle &h : e.obstacles) h.text = words(h, e.nodes);
}

void put_as_text(explanation &e, std::string_view held_up) {
  e.text = std::string(held_up) + "Ask " + e.key + " of application " + e.application + " in queue " + e.queue +
           " waits for " + std::to_string(e.waiting) + (e.waiting == 1 ? " allocation." : " allocations.");
  put_obstacles_as_text(e);
  for (const obstacle &h : e.obstacles) e.text += "\n" + h.text + ".";
  if (e.obstacles.empty() && held_up.empty()) e.text += "\nNothing holds it: it is tried when its turn comes.";
  e.text += e.before == 0   ? "\nNothing is tried before it."
            : e.before == 1 ? "\nOne pending allocation is tried before it."
                            : "\n" + std::to_string(e.before) + " pending allocations are tried before it.";
  for (change &c : e.changes) c.text = words(c);
  if (const std::string outcome = words_of_outcome(e); !outcome.empty()) e.text += "\n" + outcome;
}

}  // namespace internal

void hold_up(explanation &e, std::string_view why) {
  if (why.empty()) return;
  if (!e.pending) {
    e.text.insert(0, why);
    return;
  }
  if (e.outcome == change_outcome::at_its_turn || e.outcome == change_outcome::runs) {
    e.outcome = change_outcome::waits;
    e.after = 0;
    e.holds.emplace_back(why.substr(0, why.find('\n')));
  }
  internal::put_as_text(e, why);
}

}  // namespace tenon
