// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue tree.
#include <algorithm>
#include <climits>
#include <cstdlib>

#include "partition.hpp"
#include "tenon/kernel/duration.hpp"

namespace tenon::naive {

std::vector<std::string> path_down(const std::string &path) {
  std::vector<std::string> out;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    out.push_back(path.substr(0, dot));
  }
  out.push_back(path);
  return out;
}

const queue *partition::find_queue(const std::string &path) const {
  const auto found = queues.find(path);
  return found == queues.end() ? nullptr : &found->second;
}

std::vector<const queue *> partition::children_of(const std::string &path) const {
  std::vector<const queue *> out;
  for (const auto &[p, q] : queues) {
    if (q.parent() == path) out.push_back(&q);
  }
  std::sort(out.begin(), out.end(), [](const queue *a, const queue *b) { return a->creation < b->creation; });
  return out;
}

std::vector<const queue *> partition::depth_first() const {
  std::vector<const queue *> out;
  const auto visit = [&](const auto &self, const queue &q) -> void {
    out.push_back(&q);
    for (const queue *child : children_of(q.path)) self(self, *child);
  };
  visit(visit, *find_queue("root"));
  return out;
}

child_template_config partition::template_of(const std::string &path) const {
  std::vector<std::string> up = path_down(path);
  for (auto at = up.rbegin(); at != up.rend(); ++at) {
    const queue *q = find_queue(*at);
    if (q != nullptr && !q->child_template.empty()) return q->child_template;
  }
  return {};
}

amount_map partition::max_on_path(const std::string &path) const {
  amount_map out;
  for (const std::string &at : path_down(path)) {
    for (const auto &[type, amount] : find_queue(at)->max) {
      const auto known = out.find(type);
      out[type] = known == out.end() ? amount : std::min(known->second, amount);
    }
  }
  return out;
}

amount_map partition::fair_max(const std::string &path) const {
  amount_map out;
  for (const auto &[id, n] : nodes) add(out, n.capacity);
  out = without_zeros(out);
  for (const std::string &at : path_down(path)) {
    for (const auto &[type, amount] : find_queue(at)->max) out[type] = amount;
  }
  return out;
}

bool partition::has_applications(const std::string &path, bool below) const {
  return std::any_of(applications.begin(), applications.end(),
                     [&](const auto &a) { return below ? a->queue.starts_with(path + ".") : a->queue == path; });
}

int32_t partition::offset_of(const queue &q) {
  const auto found = q.properties.find("priority.offset");
  if (found == q.properties.end()) return 0;
  char *end = nullptr;
  const long long value = std::strtoll(found->second.c_str(), &end, 10);
  const bool whole = end != found->second.c_str() && *end == '\0';
  return whole && value >= INT32_MIN && value <= INT32_MAX ? static_cast<int32_t>(value) : 0;
}

bool partition::is_priority_fence(const queue &q) {
  const auto policy = q.properties.find("priority.policy");
  return policy != q.properties.end() && lower(policy->second) == "fence";
}

std::set<std::string> partition::preemption_text(const queue &q) const {
  const std::vector<std::string> down = path_down(q.path);
  for (auto at = down.rbegin(); at != down.rend(); ++at) {
    const queue &here = *find_queue(*at);
    const auto found = here.properties.find("preemption.policy");
    if (found != here.properties.end()) {
      const std::vector<std::string> parts = split(lower(found->second), ',');
      std::set<std::string> policies(parts.begin(), parts.end());
      if (&here == &q) return policies;
      return policies.contains("disabled") ? std::set<std::string>{"disabled"} : std::set<std::string>();
    }
    if (here.managed) return {};
  }
  return {};
}

int64_t partition::duration_of(const queue &q, const std::string &property, int64_t otherwise_ms) {
  const auto found = q.properties.find(property);
  if (found == q.properties.end()) return otherwise_ms;
  const auto ms = parse_duration_ms(found->second);
  return ms && *ms > 0 ? *ms : otherwise_ms;
}

int32_t partition::priority_of(const queue &q) const {
  int32_t highest = INT32_MIN;
  for (const auto &a : applications) {
    if (a->queue != q.path) continue;
    for (const ask &k : a->asks) {
      if (k.pending() > 0) highest = std::max(highest, k.priority);
    }
  }
  for (const queue *child : children_of(q.path)) highest = std::max(highest, priority_of(*child));
  if (highest == INT32_MIN) return highest;
  if (is_priority_fence(q)) return offset_of(q);
  return static_cast<int32_t>(std::clamp<int64_t>(int64_t{highest} + offset_of(q), INT32_MIN, INT32_MAX));
}

}  // namespace tenon::naive
