// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/tally.hpp"

#include <algorithm>

namespace tenon::cli {
namespace {

amount_map owned(amounts from) {
  amount_map out;
  for (const named_amount &a : from) out[std::string(a.type)] = a.amount;
  return out;
}

double part(int64_t used, int64_t capacity) {
  return capacity <= 0 ? 0 : static_cast<double>(used) / static_cast<double>(capacity);
}

// A reason that names one ask says the same of all of them.
std::string without_names(std::string_view reason, std::string_view name, std::string_view stands_for) {
  std::string out(reason);
  if (name.empty()) return out;
  for (size_t at = out.find(name); at != std::string::npos; at = out.find(name, at + stands_for.size())) {
    out.replace(at, name.size(), stands_for);
  }
  return out;
}

// Placeholders that hold a place for a worker which has not been asked for so far.
uint64_t waits_for_gang(const application_snapshot &app) {
  int64_t waiting = 0;
  for (const allocation_snapshot &allocation : app.allocations) {
    if (allocation.placeholder && allocation.state == allocation_state::allocated) ++waiting;
  }
  for (const ask_snapshot &ask : app.asks) {
    if (!ask.placeholder) waiting -= ask.pending_count;
  }
  return static_cast<uint64_t>(std::max<int64_t>(waiting, 0));
}

waiting percentiles(std::vector<int64_t> waits_ms) {
  std::sort(waits_ms.begin(), waits_ms.end());
  // The smallest wait that so many of all do not exceed.
  const auto at = [&](double share) {
    const auto rank = static_cast<size_t>(share * static_cast<double>(waits_ms.size()) + 0.999999);
    return static_cast<double>(waits_ms[std::clamp<size_t>(rank, 1, waits_ms.size()) - 1]) / 1000.0;
  };
  return {waits_ms.size(), at(0.50), at(0.90), at(0.99), at(1.0)};
}

}  // namespace

void tally::sees(int64_t now_ms, const command &c) {
  if (!started_) {
    started_ = true;
    first_ms_ = now_ms_ = last_ms_ = now_ms;
  }
  moves_to(now_ms);
  ++commands_;
  if (const auto *ask = std::get_if<put_ask>(&c)) sees_ask(now_ms, *ask);
  if (const auto *node = std::get_if<add_node>(&c)) sees_node(*node);
  if (const auto *change = std::get_if<change_node>(&c)) {
    const auto gone = nodes_.find({std::string(change->partition), std::string(change->node)});
    if (gone == nodes_.end() || change->event != static_cast<uint8_t>(node_event::decommission)) return;
    changes_capacity(gone->second, -1);
    nodes_.erase(gone);
  }
}

void tally::moves_to(int64_t now_ms) {
  if (now_ms <= now_ms_) return;
  const auto passed = static_cast<double>(now_ms - now_ms_);
  for (auto &[type, l] : levels_) l.area += part(l.used, l.capacity) * passed;
  now_ms_ = last_ms_ = now_ms;
}

void tally::sees_ask(int64_t now_ms, const put_ask &ask) {
  auto &record = asks_[{std::string(ask.partition), std::string(ask.application), std::string(ask.key)}];
  // An ask that is sent again after its allocation was lost goes on waiting from the first time.
  if (record.placed == 0) record.arrival_ms = ask.create_time_ms != 0 ? ask.create_time_ms : now_ms;
  record.resources = owned(ask.resources);
  record.wanted = ask.max_allocations;
  record.placeholder = ask.placeholder && !ask.task_group.empty();
}

void tally::sees_node(const add_node &node) {
  const std::string partition(node.partition);
  offered_nodes_[{partition, std::string(node.node)}] = owned(node.capacity);
  for (const existing_allocation &e : node.existing) {
    if (e.foreign) continue;
    asks_[{partition, std::string(e.ask.application), std::string(e.ask.key)}] = {now_ms_, owned(e.ask.resources), 1, 1,
                                                                                  false};
  }
}

void tally::changes_use(const amount_map &by, int64_t sign) {
  for (const auto &[type, amount] : by) {
    level &l = levels_[type];
    l.used += sign * amount;
    l.peak = std::max(l.peak, part(l.used, l.capacity));
  }
}

void tally::changes_capacity(const amount_map &by, int64_t sign) {
  for (const auto &[type, amount] : by) levels_[type].capacity += sign * amount;
}

void tally::hears(const decision_view &d) {
  ++decisions_;
  moves_to(d.now_ms);
  const auto ask = [&] {
    return asks_.find({std::string(d.partition), std::string(d.application), std::string(d.key)});
  };
  switch (d.kind) {
    case decision_kind::allocated:
      hears_allocated(d);
      break;
    case decision_kind::released:
      if (d.why == termination::preempted_by_scheduler) ++preempted_;
      if (const auto found = ask(); found != asks_.end()) changes_use(found->second.resources, -1);
      break;
    case decision_kind::node_accepted: {
      auto offered = offered_nodes_.extract({std::string(d.partition), std::string(d.node)});
      if (offered.empty()) break;
      changes_capacity(offered.mapped(), 1);
      nodes_.insert(std::move(offered));
      break;
    }
    case decision_kind::ask_rejected:
      ++rejected_;
      ++rejection_reasons_[without_names(without_names(d.text, d.key, "<ask>"), d.application, "<application>")];
      break;
    default:
      break;
  }
}

void tally::hears_allocated(const decision_view &d) {
  const auto found = asks_.find({std::string(d.partition), std::string(d.application), std::string(d.key)});
  if (found == asks_.end()) return;
  ask_record &record = found->second;
  changes_use(record.resources, 1);
  if (record.placeholder || record.placed >= record.wanted) return;
  ++record.placed;
  ++placed_;
  waits_ms_[std::string(d.queue)].push_back(d.now_ms - record.arrival_ms);
  const auto gpu = record.resources.find("gpu");
  if (gpu != record.resources.end()) gpu_milli_placed_ += gpu->second;
}

void tally::leaves_out(const std::string &reason, uint64_t count) { left_out_[reason] += count; }

void tally::skips(const std::string &reason, uint64_t count) { skipped_[reason] += count; }

run_summary tally::summary(const kernel_snapshot &end) const {
  run_summary out;
  out.nodes = nodes_.size();
  out.placed = placed_;
  out.rejected = rejected_;
  out.preempted = preempted_;
  out.commands = commands_;
  out.decisions = decisions_;
  out.rejection_reasons = rejection_reasons_;
  out.pending_reasons = left_out_;
  for (const partition_snapshot &p : end.partitions) {
    for (const application_snapshot &app : p.applications) {
      for (const ask_snapshot &ask : app.asks) {
        if (ask.pending_count <= 0) continue;
        const std::string reason = without_names(without_names(ask.blocker, ask.key, "<ask>"), app.id, "<application>");
        out.pending_reasons[reason.empty() ? "could be placed now" : reason] +=
            static_cast<uint64_t>(ask.pending_count);
      }
      if (const uint64_t waiting = waits_for_gang(app); waiting > 0) {
        out.pending_reasons["waits for the rest of its gang"] += waiting;
      }
    }
  }
  out.skipped_reasons = skipped_;
  for (const auto &[reason, count] : out.skipped_reasons) out.skipped += count;
  for (const auto &[reason, count] : out.pending_reasons) out.pending += count;
  const auto passed = static_cast<double>(last_ms_ - first_ms_);
  for (const auto &[type, l] : levels_) {
    // Where no time passed, as it is at the end.
    out.use[type] = {l.peak, passed > 0 ? l.area / passed : part(l.used, l.capacity)};
  }
  for (const auto &[queue, waits] : waits_ms_) out.waits[queue] = percentiles(waits);
  out.makespan_s = passed / 1000.0;
  out.gpus_placed = static_cast<double>(gpu_milli_placed_) / 1000.0;
  return out;
}

}  // namespace tenon::cli
