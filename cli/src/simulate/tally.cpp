// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/tally.hpp"

#include <algorithm>

#include "tenon/kernel/devices.hpp"

namespace tenon::cli {
namespace {

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

void count_devices(const node_snapshot &n, std::map<std::string, device_use> &into) {
  for (const auto &[type, all] : n.devices) {
    const auto split = parse_device_split(n.attributes.at(std::string(devices_prefix) + type));
    device_use &use = into[type];
    for (const int64_t free : all) {
      ++use.all;
      const bool whole = free >= split->amount, none = free <= 0;
      ++(whole ? use.free : none ? use.full : use.in_part);
      if (!whole && !none) use.free_in_parts += part(free, split->amount);
    }
  }
}

}  // namespace

tally::tally(timeline *keep) : ledger_([this](const change &c) { takes(c); }), keep_(keep) {
  if (keep_ != nullptr) keep_->names = &ledger_;
}

void tally::sees(int64_t now_ms, const command &c) {
  if (!started_) {
    started_ = true;
    first_ms_ = now_ms_ = now_ms;
  }
  ledger_.settle();  // before time moves on
  moves_to(now_ms);
  ++commands_;
  ledger_.sees(now_ms, c);
}

void tally::moves_to(int64_t now_ms) {
  if (now_ms <= now_ms_) return;
  const auto passed = static_cast<double>(now_ms - now_ms_);
  for (level &l : levels_) l.area += part(l.used, l.capacity) * passed;
  now_ms_ = now_ms;
}

void tally::hears(const decision_view &d) {
  ++decisions_;
  moves_to(d.now_ms);
  if (d.is(decision_kind::released) && *end_of(d) == termination::preempted_by_scheduler) ++preempted_;
  if (const auto *no = d.as<decided::application_rejected>())
    refused_applications_[std::string(d.application)] = no->message;
  if (d.is(decision_kind::ask_rejected)) {
    ++rejected_;
    const auto of_application = refused_applications_.find(d.application);
    const std::string why = of_application == refused_applications_.end() ? without_names(text_of(d), d.key, "<ask>")
                                                                          : of_application->second;
    ++rejection_reasons_[without_names(why, d.application, "<application>")];
  }
  ledger_.hears(d);
}

tally::level &tally::level_of(uint32_t type) {
  if (levels_.size() <= type) levels_.resize(type + 1);
  return levels_[type];
}

void tally::takes(const change &c) {
  if (keep_ != nullptr) keep_->changes.push_back(c);
  const bool node = c.kind == change::what::node_added || c.kind == change::what::node_removed;
  const bool use = c.kind == change::what::placed || c.kind == change::what::found || c.kind == change::what::freed;
  const int64_t sign = c.kind == change::what::node_removed || c.kind == change::what::freed ? -1 : 1;
  if (!node && !use) return;
  for (const auto &[type, amount] : ledger_.amounts_of(c.shape)) {
    level &l = level_of(type);
    (node ? l.capacity : l.used) += sign * amount;
    if (use) l.peak = std::max(l.peak, part(l.used, l.capacity));
  }
  if (c.kind != change::what::placed || c.placeholder || c.waited_ms < 0) return;
  ++placed_;
  if (waits_ms_.size() <= c.queue) waits_ms_.resize(c.queue + 1);
  waits_ms_[c.queue].push_back(c.waited_ms);
  for (const auto &[type, amount] : ledger_.amounts_of(c.shape)) {
    if (ledger_.types()[type] == "gpu") gpu_milli_placed_ += amount;
  }
}

int64_t tally::gpu_milli_capacity() const {
  for (uint32_t type = 0; type < levels_.size(); ++type) {
    if (ledger_.types()[type] == "gpu") return levels_[type].capacity;
  }
  return 0;
}

void tally::arrives(int64_t gpu_milli) {
  const int64_t capacity = gpu_milli_capacity();
  gpu_milli_arrived_ += gpu_milli;
  const auto has_passed = [&] {
    return static_cast<int64_t>(gpu_milli_by_percent_.size()) * capacity < gpu_milli_arrived_ * 100;
  };
  while (capacity > 0 && has_passed()) gpu_milli_by_percent_.push_back(gpu_milli_before_);
  gpu_milli_before_ = gpu_milli_placed_;
}

void tally::leaves_out(given_up what) {
  what.reason = without_names(what.reason, what.application, "<application>");
  left_out_.push_back(std::move(what));
}

void tally::skips(const std::string &reason, uint64_t count) { skipped_[reason] += count; }

void tally::ends() {
  ledger_.settle();
  if (keep_ == nullptr) return;
  keep_->first_ms = first_ms_;
  keep_->last_ms = now_ms_;
}

run_summary tally::summary(const kernel_snapshot &end) const {
  run_summary out;
  out.nodes = ledger_.nodes();
  out.placed = placed_;
  out.rejected = rejected_;
  out.preempted = preempted_;
  out.commands = commands_;
  out.decisions = decisions_;
  out.rejection_reasons = rejection_reasons_;
  out.findings = findings_;
  for (const given_up &one : left_out_) out.pending_reasons[one.reason] += one.count;
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
  for (const partition_snapshot &p : end.partitions) {
    for (const node_snapshot &n : p.nodes) count_devices(n, out.devices);
  }
  for (const auto &[reason, count] : out.pending_reasons) out.pending += count;
  const auto passed = static_cast<double>(now_ms_ - first_ms_);
  for (uint32_t type = 0; type < levels_.size(); ++type) {
    const level &l = levels_[type];
    // Where no time passed, as it is at the end.
    out.use[ledger_.types()[type]] = {l.peak, passed > 0 ? l.area / passed : part(l.used, l.capacity)};
  }
  std::map<std::string, std::vector<measured>> waits;
  for (uint32_t queue = 0; queue < waits_ms_.size(); ++queue) {
    if (waits_ms_[queue].empty()) continue;
    std::vector<measured> &of = waits[ledger_.queues()[queue]];
    for (const int64_t ms : waits_ms_[queue]) of.push_back({static_cast<double>(ms) / 1000.0, true});
  }
  const auto waited = [&](const std::string &queue, int64_t arrival_ms, uint64_t count) {
    const int64_t so_far_ms = std::max<int64_t>(now_ms_ - arrival_ms, 0);
    waits[queue].insert(waits[queue].end(), count, {static_cast<double>(so_far_ms) / 1000.0, false});
  };
  ledger_.for_each_unplaced([&](uint32_t queue, int64_t arrival_ms, int64_t count) {
    waited(ledger_.queues()[queue], arrival_ms, static_cast<uint64_t>(count));
  });
  for (const given_up &one : left_out_) waited(one.queue, one.arrival_ms, one.count);
  std::vector<measured> all;
  for (auto &[queue, of] : waits) {
    all.insert(all.end(), of.begin(), of.end());
    out.waits[queue] = spread_of(std::move(of));
  }
  out.all_waits = spread_of(std::move(all));
  out.makespan_s = passed / 1000.0;
  out.gpus_placed = static_cast<double>(gpu_milli_placed_) / 1000.0;
  if (!gpu_milli_by_percent_.empty()) {
    for (const int64_t placed : gpu_milli_by_percent_) out.allocation.push_back(part(placed, gpu_milli_capacity()));
    out.allocation.push_back(part(gpu_milli_before_, gpu_milli_capacity()));
  }
  return out;
}

}  // namespace tenon::cli
