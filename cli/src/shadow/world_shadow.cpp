// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/world_shadow.hpp"

#include <algorithm>
#include <utility>

#include "diff/realigned.hpp"
#include "run/output_file.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/host/module_watch.hpp"

namespace tenon::cli {
namespace {

// Beyond it the daemon's decisions are not written, and nobody checks them any more.
constexpr size_t most_lines = 1'000'000;

// Nobody else knows the names that the shadow's orders have here.
void use_plain_names(side_reason &of) {
  const auto plain = [](std::string &name) {
    if (name.starts_with(of_the_shadow)) name.erase(0, of_the_shadow.size());
  };
  for (auto &[what, name] : of.policies) plain(name);
  for (policy_answer &one : of.said) plain(one.policy);
}

}  // namespace

world_shadow::world_shadow(const host::world_shadow_use &how, uint64_t from, listeners told)
    : how_(how), told_(std::move(told)) {
  counts_.next = from;
}

world_shadow::~world_shadow() = default;

result<std::unique_ptr<world_shadow>> world_shadow::open(const host::deployment &plan, const std::string &module_path,
                                                         uint64_t from, listeners told) {
  std::unique_ptr<world_shadow> out(new world_shadow(*plan.shadow, from, std::move(told)));
  // The records of calls are the daemon's. A module that fails here is named, since the daemon's may not have.
  world_shadow *const self = out.get();
  const auto note = [self](const host::module_fault &fault) { self->note_fault(fault); };
  auto in_force = open_policies({plan.file, module_path, {}, false, false, note});
  if (!in_force) return in_force.why();
  out->policies_ = std::move(*in_force);
  policy_source *source = out->policies_.source.get();
  host::deployment other;
  if (!out->how_.deployment.empty()) {
    auto read = host::deployment_of(out->how_.deployment);
    if (!read) return read.why();
    other = std::move(*read);
    auto own = open_policies({out->how_.deployment, module_path, {}, false, false, note});
    if (!own) return own.why();
    out->own_policies_ = std::move(*own);
    out->both_ = std::make_unique<both_sources>(*source, *out->own_policies_.source);
    source = out->both_.get();
    out->settings_["deployment"] = out->how_.deployment.string();
  }
  if (auto why = out->read_configurations(plan, other)) return *why;
  out->replay_ = kernel_factory()(*source);
  return out;
}

void world_shadow::note_fault(const host::module_fault &fault) {
  ++counts_.faults;
  if (!failed_.insert({fault.module, is_comparing_}).second || !told_.fault) return;
  told_.fault({counts_.decisions, !is_comparing_, fault.module, fault.name + ": " + fault.slot + " " + fault.text});
}

std::optional<refusal> world_shadow::read_configurations(const host::deployment &plan, const host::deployment &other) {
  const auto &known = both_ != nullptr ? own_policies_ : policies_;
  auto files = other.policy_groups;
  for (const auto &[group, file] : how_.policy_groups) files[group] = file;
  for (const auto &[group, file] : files) {
    if (!plan.policy_groups.contains(group)) {
      if (!how_.policy_groups.contains(group)) continue;  // of the other deployment, which may have more
      return refusal{plan.file, "policy groups that the daemon has", "shadow.policy_groups names '" + group + "'",
                     "correct the name"};
    }
    const auto text = read_file(file);
    if (!text) return text.why();
    auto parsed = config::parse_queues_yaml(
        *text, file.string(), {.known = known.known_without_users(), .max_queue_depth = 32, .limits = {}});
    if (!parsed) return parsed.why();
    by_group_.emplace(group, std::move(*parsed));
    settings_["policy group " + group] = file.string();
  }
  if (how_.node_sort.empty()) return std::nullopt;
  settings_["node order"] = how_.node_sort;
  const auto &orders = known.known[module_kind::node_sort];
  if (!orders || std::find(orders->begin(), orders->end(), how_.node_sort) != orders->end()) return std::nullopt;
  std::string all;
  for (const std::string &one : *orders) all += (all.empty() ? "" : ", ") + one;
  return refusal{plan.file, "one of the orders of nodes: " + all, "shadow.node_sort is '" + how_.node_sort + "'",
                 "correct it, or list the module that provides it"};
}

void world_shadow::take(int64_t now_ms, const command &c, const std::function<bool()> &is_behind) {
  if (const auto *next = std::get_if<step>(&c)) {
    is_comparing_ = true;
    look_before(now_ms, *next, is_behind);
    is_comparing_ = false;
  }
  bool is_taken = false;
  {
    const host::role_guard cycle(host::thread_role::cycle);
    (void)replay_->apply(now_ms, c);
    replay_->drain([&](const decision_view &d) {
      ++counts_.decisions;
      is_taken |= d.is(decision_kind::rm_registered) || d.is(decision_kind::configured);
      if (keeps_lines_) made_.push_back(format(d));
    });
  }
  ++counts_.commands;
  counts_.at_ms = now_ms;
  if (is_taken || std::holds_alternative<signal_rm>(c)) remember(c);
  check_lines();
}

void world_shadow::remember(const command &c) {
  if (const auto *in = std::get_if<register_rm>(&c)) {
    in_force_[std::string(in->rm)] = *in->config;
    group_of_[std::string(in->rm)] = in->policy_group.empty() ? "default" : std::string(in->policy_group);
  } else if (const auto *other = std::get_if<configure>(&c)) {
    in_force_[std::string(other->rm)] = *other->config;
  } else if (const auto *gone = std::get_if<signal_rm>(&c)) {
    if (gone->signal == rm_signal::timeout || gone->signal == rm_signal::shutdown)
      in_force_.erase(std::string(gone->rm));
  }
}

configurations world_shadow::of_shadow() const {
  configurations out;
  for (const auto &[rm, config] : in_force_) {
    const auto group = group_of_.find(rm);
    const auto own = group == group_of_.end() ? by_group_.end() : by_group_.find(group->second);
    cluster_config &one = out[rm] = own == by_group_.end() ? config : own->second;
    for (partition_config &partition : one.partitions) {
      if (!how_.node_sort.empty()) partition.node_sort.type = how_.node_sort;
      if (both_ != nullptr) use_second_orders(partition);
    }
  }
  return out;
}

// A round makes a decision of each partition at most. What those take back is not counted: where it leads past the next
// moment, comparisons begin with the step after.
bool world_shadow::compares_within(const step &next) const {
  if (counts_.unequal != 0 || counts_.commands < next_try_) return false;
  uint64_t partitions = next.partition.empty() ? 0 : 1;
  if (partitions == 0)
    for (const auto &[rm, config] : in_force_) partitions += config.partitions.size();
  return counts_.decisions + next.max_decisions * partitions > counts_.next;
}

// A step has up to so many rounds; where each decision counts, so do those that the later rounds make. To come to them
// is to copy, and to decide all of the step once more.
void world_shadow::look_before(int64_t now_ms, const step &next, const std::function<bool()> &is_behind) {
  look(*replay_, counts_.decisions, now_ms, next, is_behind);
  if (how_.every > 1 || next.max_decisions < 2 || !next.answers.empty() || !compares_within(next) || is_behind())
    return;
  const std::unique_ptr<engine> at = replay_->copy();
  uint64_t decisions = counts_.decisions;
  for (uint32_t round = 1; round < next.max_decisions; ++round) {
    {
      const host::role_guard cycle(host::thread_role::cycle);
      if (at->apply(now_ms, step{next.partition, 1, {}}) == 0) return;
      at->drain([&](const decision_view &) { ++decisions; });
    }
    look(*at, decisions, now_ms, next, is_behind);
    if (told_.round) told_.round();
    if (counts_.commands < next_try_) return;
  }
}

// Both copies are reloaded, so that what a reload wakes is no difference.
void world_shadow::look(engine &at, uint64_t decisions, int64_t now_ms, const step &next,
                        const std::function<bool()> &is_behind) {
  if (counts_.unequal != 0) return;  // its state is not the daemon's any more
  if (decisions < counts_.next || counts_.commands < next_try_ || !at.has_work()) return;
  if (is_behind()) {
    ++counts_.passed_over;
    counts_.next = decisions + how_.every;
    return;
  }
  uint64_t of_timers = 0;
  const std::unique_ptr<engine> as_is = reloaded_copy(at, now_ms, in_force_, nullptr, &of_timers);
  if (as_is == nullptr) {  // something in the state is in the way of a reload
    next_try_ = counts_.commands + how_.every;
    return;
  }
  const std::vector<std::string> decided = next_round(*as_is, now_ms, next.partition);
  const configurations others = of_shadow();
  const std::unique_ptr<engine> shadow = reloaded_copy(at, now_ms, others);
  const std::vector<std::string> otherwise =
      shadow == nullptr ? std::vector<std::string>() : next_round(*shadow, now_ms, next.partition);
  if (decided.empty() && otherwise.empty() && shadow != nullptr) {
    next_try_ = counts_.commands + how_.every;
    return;
  }
  counts_.next = decisions + how_.every;
  ++counts_.compared;
  if (shadow == nullptr) {
    ++counts_.refused;
    return;
  }
  if (decided == otherwise) {
    ++counts_.same;
    return;
  }
  if (counts_.other() > told_.first) return;  // what led there costs more than to compare
  const auto [mine, its] = std::mismatch(decided.begin(), decided.end(), otherwise.begin(), otherwise.end());
  first_difference one;
  one.decision = decisions + of_timers + 1 + static_cast<uint64_t>(mine - decided.begin());
  one.at_ms = now_ms;
  if (mine != decided.end()) one.a.decision = *mine;
  if (its != otherwise.end()) one.b.decision = *its;
  look_at(*at.copy(), one.a.decision, one.b.decision, one.a);
  // One whose modules live in processes may be had once, and not once more.
  if (const std::unique_ptr<engine> again = reloaded_copy(at, now_ms, others)) {
    look_at(*again, one.a.decision, one.b.decision, one.b);
    use_plain_names(one.b);
  }
  told_.other(one);
}

void world_shadow::hear(std::string_view line) {
  if (!keeps_lines_) return;
  heard_.emplace_back(line);
  check_lines();
}

void world_shadow::check_lines() {
  while (!made_.empty() && !heard_.empty()) {
    ++counts_.checked;
    if (made_.front() != heard_.front()) {
      if (counts_.unequal++ == 0 && told_.unequal) told_.unequal({counts_.checked, heard_.front(), made_.front()});
    }
    made_.pop_front();
    heard_.pop_front();
  }
  if (made_.size() > most_lines) {
    keeps_lines_ = false;
    made_.clear();
  }
}

}  // namespace tenon::cli
