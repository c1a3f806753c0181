// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "copied_state.hpp"

#include <algorithm>

namespace tenon::sim {
namespace {

// Copies count their decisions from 1.
std::string line_of(decision_view d) {
  d.sequence = 0;
  return format(d);
}

void ask_why(kernel &k, uint64_t turn) {
  std::vector<std::pair<std::string, std::string>> waiting;
  const kernel_snapshot now = k.snapshot(snapshot_part::applications | snapshot_part::asks | snapshot_part::nodes);
  for (const partition_snapshot &p : now.partitions) {
    waiting.clear();
    for (const application_snapshot &app : p.applications) {
      for (const ask_snapshot &a : app.asks) waiting.emplace_back(app.id, a.key);
    }
    if (waiting.empty()) continue;
    const auto &[app, key] = waiting[turn % waiting.size()];
    (void)k.explain(k.find_partition(p.name), app, key);
    policy_question about{{{app, key}, waiting.front()}, {}};
    for (const node_snapshot &n : p.nodes) about.nodes.push_back(n.id);
    (void)k.ask_policies(k.find_partition(p.name), about);
  }
}

}  // namespace

void copied_state::before(kernel &k, int64_t now_ms, const command &c) {
  copy_said_.clear();
  said_.clear();
  compared_ = false;
  if (!std::holds_alternative<step>(c)) return;
  ++turn_;
  // Timers are not copied.
  const auto due = k.next_due();
  if (turn_ % 2 != 0 || (due && *due <= now_ms)) return;
  compared_ = true;
  const std::unique_ptr<kernel> copy = k.copy();
  (void)copy->apply(now_ms, c);
  copy->drain([&](const decision_view &d) { copy_said_.push_back(line_of(d)); });
  // An order that fails is called anew by the copy, whatever the original remembers of nodes.
  const auto is_fault = [](const step_answer &a) { return a.what == step_answer::kind::policy_fault; };
  const auto answers = copy->answers();
  if (std::any_of(answers.begin(), answers.end(), is_fault)) forget();
}

void copied_state::forget() {
  compared_ = false;
  copy_said_.clear();
}

void copied_state::hear(const decision_view &d) {
  if (compared_) said_.push_back(line_of(d));
}

std::vector<std::string> copied_state::differences(kernel &k) {
  if (++turn_ % 5 == 0) ask_why(k, turn_);
  std::vector<std::string> out;
  if (said_ == copy_said_) return out;
  const auto [mine, its] = std::mismatch(said_.begin(), said_.end(), copy_said_.begin(), copy_said_.end());
  out.push_back("copy: decided otherwise: " + (its == copy_said_.end() ? std::string("(end)") : *its));
  out.push_back("copy: it is: " + (mine == said_.end() ? std::string("(end)") : *mine));
  return out;
}

}  // namespace tenon::sim
