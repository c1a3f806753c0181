// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/differences.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tenon::cli {
namespace {

// Fields of a line of decisions.
enum field : size_t {
  at_field = 1,
  partition_field = 4,
  application_field,
  key_field,
  sequence_field,
  node_field,
  queue_field
};

std::string field_of(const std::string &line, size_t index) {
  size_t from = 0;
  for (; index > 0; --index) {
    from = line.find('\t', from);
    if (from == std::string::npos) return {};
    ++from;
  }
  std::string out = line.substr(from, line.find('\t', from) - from);
  return out == "-" ? std::string() : out;
}

// What both sides decided at the place where they part.
struct parting {
  std::vector<std::string> lines;

  [[nodiscard]] std::vector<std::array<std::string, 3>> asks() const {
    std::vector<std::array<std::string, 3>> out;
    for (const std::string &line : lines) {
      std::array one{field_of(line, partition_field), field_of(line, application_field), field_of(line, key_field)};
      if (!one[2].empty() && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
    }
    return out;
  }
  [[nodiscard]] bool names(size_t index, const std::string &partition, const std::string &name) const {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string &line) {
      return field_of(line, partition_field) == partition && field_of(line, index) == name;
    });
  }
};

void look(engine &scheduler, const parting &at, side_reason &out) {
  for (const auto &[partition, application, key] : at.asks()) {
    if (auto why = scheduler.explain(partition, application, key)) out.asks.push_back({application, key, *why});
  }
  for (const partition_snapshot &p : scheduler.snapshot().partitions) {
    bool concerned = false;
    policy_question about;
    for (const auto &[partition, application, key] : at.asks())
      if (partition == p.name) about.asks.emplace_back(application, key);
    for (const node_snapshot &n : p.nodes) {
      if (!at.names(node_field, p.name, n.id)) continue;
      concerned = true;
      about.nodes.push_back(n.id);
      out.nodes.push_back({n.id, {{"free", n.available}, {"capacity", n.capacity}}});
    }
    if (concerned) out.policies.emplace_back("node order", p.node_sort_policy);
    for (const queue_snapshot &q : p.queues) {
      if (!at.names(queue_field, p.name, q.path)) continue;
      seen_amounts seen{q.path, {{"allocated", q.allocated}, {"pending", q.pending}, {"guaranteed", q.guaranteed}}};
      if (q.max) seen.columns.emplace_back("max", *q.max);
      if (q.headroom) seen.columns.emplace_back("headroom", *q.headroom);
      out.queues.push_back(std::move(seen));
      for (const auto &[property, value] : q.properties) out.policies.emplace_back(q.path + ": " + property, value);
    }
    if (about.asks.empty()) continue;
    for (policy_answer &one : scheduler.ask_policies(p.name, about)) out.said.push_back(std::move(one));
  }
}

// The line of a side's decision of that index; empty: it made no more.
std::string line_of(const side_run &run, size_t index, const replay_side &again) {
  if (index >= run.marks().size()) return {};
  side_run played;
  const watched_command watched{run.marks()[index].command, [](engine &) {}};
  static_cast<void>(again(played, watched));  // it was played before, and went well
  const std::string number = std::to_string(index + 1);
  for (const std::string &line : played.lines()) {
    if (field_of(line, 0) == number) return line;
  }
  return {};
}

// Up to there both sides have made the same, and been told the same.
void look_before(const side_run &run, size_t index, const parting &at, const replay_side &again, side_reason &out) {
  if (index >= run.marks().size()) return;
  side_run played;
  const watched_command watched{run.marks()[index].command, [&](engine &scheduler) { look(scheduler, at, out); }};
  static_cast<void>(again(played, watched));
}

}  // namespace

void look_at(engine &scheduler, const std::string &decision_a, const std::string &decision_b, side_reason &out) {
  parting at;
  for (const std::string *one : {&decision_a, &decision_b})
    if (!one->empty()) at.lines.push_back(*one);
  look(scheduler, at, out);
}

int64_t placing_difference::at_ms() const {
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  return std::min(a != nullptr ? a->at_ms : never, b != nullptr ? b->at_ms : never);
}

placing_differences compare_placements(const side_run &a, const side_run &b, size_t shown) {
  const auto name = [](const placement &p) { return p.ask + '\x1f' + std::to_string(p.nth); };
  std::unordered_map<std::string, const placement *> of_b;
  for (const placement &p : b.placements()) of_b.emplace(name(p), &p);
  placing_differences out;
  for (const placement &p : a.placements()) {
    const auto found = of_b.find(name(p));
    if (found == of_b.end()) {
      ++out.only_a;
      out.first.push_back({&p, nullptr});
      continue;
    }
    const placement &other = *found->second;
    of_b.erase(found);
    const bool same_time = p.at_ms == other.at_ms, same_node = p.node == other.node;
    ++(!same_time ? out.other_time : !same_node ? out.other_node : out.same);
    if (!same_time || !same_node) out.first.push_back({&p, &other});
  }
  out.only_b = of_b.size();
  for (const placement &p : b.placements()) {
    if (of_b.contains(name(p))) out.first.push_back({nullptr, &p});
  }
  std::stable_sort(out.first.begin(), out.first.end(),
                   [](const auto &one, const auto &other) { return one.at_ms() < other.at_ms(); });
  if (out.first.size() > shown) out.first.resize(shown);
  return out;
}

std::optional<first_difference> find_first_difference(const side_run &a, const side_run &b, const replay_side &again_a,
                                                      const replay_side &again_b) {
  const size_t both = std::min(a.marks().size(), b.marks().size());
  size_t index = 0;
  while (index < both && a.marks()[index].digest == b.marks()[index].digest) ++index;
  if (index == both && a.marks().size() == b.marks().size()) return std::nullopt;
  first_difference out;
  out.decision = index + 1;
  out.a.decision = line_of(a, index, again_a);
  out.b.decision = line_of(b, index, again_b);
  parting at;
  for (const side_reason *side : {&out.a, &out.b}) {
    if (side->decision.empty()) continue;
    at.lines.push_back(side->decision);
    const int64_t when = std::strtoll(field_of(side->decision, at_field).c_str(), nullptr, 10);
    out.at_ms = out.at_ms == 0 ? when : std::min(out.at_ms, when);
  }
  look_before(a, index, at, again_a, out.a);
  look_before(b, index, at, again_b, out.b);
  return out;
}

}  // namespace tenon::cli
