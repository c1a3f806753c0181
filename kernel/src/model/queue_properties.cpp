// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/queue_properties.hpp"

#include <algorithm>
#include <charconv>

#include "model/may_run.hpp"
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

bool begins_whole(const application &app) {
  const auto tag = std::find_if(app.tags.begin(), app.tags.end(),
                                [](const auto &item) { return lower_case(item.first) == "tenon/gang-start"; });
  for (const std::string &said : {tag == app.tags.end() ? std::string() : lower_case(tag->second),
                                  lower_case(property_of(app.home->properties, "gang.start"))}) {
    if (said == "whole" || said == "piecewise") return said == "whole";
  }
  return app.hard_gang;
}

bool waits_to_begin(const application &app, const class_table &classes) {
  if (!app.runs() || !begins_whole(app)) return false;
  int64_t pending = 0;
  const bool several = std::any_of(app.task_groups.begin(), app.task_groups.end(), [&](const auto &group) {
    pending += group.second.pending;
    return pending > 1;
  });
  return several || !gang_has_come(app, classes);
}

bool gang_has_come(const application &app, const class_table &classes) {
  if (app.state != application_state::accepted || app.first_bind_ms != INT64_MAX) return true;
  // Few real asks come before the placeholders: mostly the sum of all is enough to know.
  return fit_in(app.pending, app.placeholder_ask) && fit_in(pending_placeholders_of(app, classes), app.placeholder_ask);
}

bool is_leaf(const queue_config &c, bool root) { return !root && !c.parent && c.queues.empty(); }

void read_properties(queue &q) {
  q.priority_sort = lower_case(property_of(q.properties, "application.sort.priority")) != "disabled";
  q.priority_rule = lower_case(property_of(q.properties, "priority.policy")) == "fence" ? priority_policy::fence
                                                                                        : priority_policy::standard;
  q.strict = lower_case(property_of(q.properties, "queue.strict")) == "true";
  const std::string offset = property_of(q.properties, "priority.offset");
  q.priority_offset = 0;
  int32_t parsed = 0;
  const char *from = offset.data() + (offset.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(from, offset.data() + offset.size(), parsed);
  if (error == std::errc{} && end == offset.data() + offset.size()) q.priority_offset = parsed;
  read_preemption(q);
}

}  // namespace tenon::internal
