// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/queue_properties.hpp"

#include <algorithm>
#include <charconv>

#include "model/gang_start.hpp"
#include "tenon/kernel/duration.hpp"
#include "tenon/kernel/names.hpp"

namespace tenon::internal {
namespace {

void read_preemption(queue &q) {
  const std::string policy = lower_case(property_of(q.properties, "preemption.policy"));
  const auto has = [&](std::string_view word) {
    for (size_t from = 0; from <= policy.size();) {
      const size_t end = std::min(policy.find(',', from), policy.size());
      if (std::string_view(policy).substr(from, end - from) == word) return true;
      from = end + 1;
    }
    return false;
  };
  q.has_preemption_policy = q.properties.contains("preemption.policy");
  q.fence = has("fence");
  q.intra = has("intra");
  q.spared = has("disabled");
  const auto delay_ms = parse_duration_ms(property_of(q.properties, "preemption.delay"));
  q.preemption_delay_ms = delay_ms && *delay_ms > 0 ? *delay_ms : 30'000;
  const auto quota_delay_ms = parse_duration_ms(property_of(q.properties, "quota.preemption.delay"));
  q.quota_delay_ms = quota_delay_ms && *quota_delay_ms > 0 ? *quota_delay_ms : 0;
}

}  // namespace

std::string property_of(const property_map &properties, const std::string &key) {
  const auto found = properties.find(key);
  return found == properties.end() ? std::string{} : found->second;
}

property_map effective_properties(const property_map &parent, const property_map &own) {
  property_map out = parent;
  for (auto &[key, value] : out) {
    if (key == "priority.policy") value = "default";
    if (key == "priority.offset") value = "0";
    if (key == "preemption.policy" && lower_case(value) != "disabled") value = "default";
  }
  for (const auto &[key, value] : own) out[key] = value;
  return out;
}

bool is_leaf(const queue_config &c, bool root) { return !root && !c.parent && c.queues.empty(); }

void read_properties(queue &q) {
  q.priority_sort = lower_case(property_of(q.properties, "application.sort.priority")) != "disabled";
  q.priority_rule = lower_case(property_of(q.properties, "priority.policy")) == "fence" ? priority_policy::fence
                                                                                        : priority_policy::standard;
  q.strict = lower_case(property_of(q.properties, "queue.strict")) == "true";
  q.gangs_begin = gang_start_of(property_of(q.properties, "gang.start"));
  const std::string offset = property_of(q.properties, "priority.offset");
  q.priority_offset = 0;
  int32_t parsed = 0;
  const char *from = offset.data() + (offset.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(from, offset.data() + offset.size(), parsed);
  if (error == std::errc{} && end == offset.data() + offset.size()) q.priority_offset = parsed;
  read_preemption(q);
}

}  // namespace tenon::internal
