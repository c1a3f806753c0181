// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A queue as JSON: what is configured, what is used, and what its properties mean.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "json_objects.hpp"
#include "views.hpp"

namespace tenon::rest {

namespace json = boost::json;

namespace {

std::string_view property(const tenon_view_queue &q, std::string_view key) {
  for (uint64_t i = 0; i < q.properties.count; ++i)
    if (view(q.properties.names[i]) == key) return view(q.properties.values[i]);
  return {};
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::string order_of(const tenon_view_queue &q) {
  const bool leaf = (q.flags & TENON_VIEW_LEAF) != 0;
  const std::string_view named = property(q, leaf ? "application.sort.policy" : "queue.sort.policy");
  if (!named.empty()) return std::string(named);
  return leaf ? "fifo" : "fair";
}

void put_policies(const tenon_view_queue &q, object_writer &out) {
  const std::string_view preemption = property(q, "preemption.policy");
  out.put("sortingPolicy", order_of(q));
  out.always("prioritySorting", property(q, "application.sort.priority") != "disabled");
  out.always("preemptionEnabled", !has_word(preemption, "disabled"));
  out.always("isPreemptionFence", has_word(preemption, "fence"));
  const auto delay = duration_ms(property(q, "preemption.delay"));
  out.put("preemptionDelay", duration_text(delay.value_or(30'000)));
  const auto quota = duration_ms(property(q, "quota.preemption.delay"));
  out.put("quotaPreemptionDelay", duration_text(std::max<int64_t>(0, quota.value_or(0))));
  out.always("isPriorityFence", property(q, "priority.policy") == "fence");
  const std::string_view offset = property(q, "priority.offset");
  int32_t number = 0;
  std::from_chars(offset.data(), offset.data() + offset.size(), number);
  out.put("priorityOffset", int64_t{number});
}

json::object template_json(const tenon_view_queue &q) {
  object_writer out;
  out.put("maxApplications", q.template_applications);
  out.put("maxResource", q.template_max);
  out.put("guaranteedResource", q.template_guaranteed);
  out.put("properties", q.template_properties);
  return out.take();
}

}  // namespace

json::object queue_json(const tenon_view_partition &p, uint64_t at, bool below, bool top) {
  const listed<tenon_view_queue> queues(p.queues);
  const tenon_view_queue &q = queues[at];
  object_writer out;
  out.always("queuename", view(q.path));
  out.put("status", q.state);
  out.always("partition", top ? view(p.short_name) : std::string_view{});
  out.put("pendingResource", q.pending);
  out.put("maxResource", q.max);
  out.put("guaranteedResource", q.guaranteed);
  out.put("allocatedResource", q.allocated);
  out.put("preemptingResource", q.preempting);
  out.put("headroom", q.headroom);
  out.always("isLeaf", (q.flags & TENON_VIEW_LEAF) != 0);
  out.always("isManaged", (q.flags & TENON_VIEW_MANAGED) != 0);
  out.put("properties", q.properties);
  if (q.parent != TENON_VIEW_NO_PARENT) out.put("parent", queues[q.parent].path);
  out.put("template", template_json(q));
  json::array names, children;
  for (uint64_t i = at + 1; i < queues.size() && queues[i].parent != TENON_VIEW_NO_PARENT && queues[i].parent >= at;
       ++i) {
    if (queues[i].parent != at) continue;
    const std::string_view path = view(queues[i].path);
    names.emplace_back(path);
    if (below) children.push_back(queue_json(p, i, true, false));
  }
  out.put("children", std::move(children));
  out.put("childNames", std::move(names));
  out.put("absUsedCapacity", percent_of(q.max, q.allocated));
  out.put("maxRunningApps", q.most_applications);
  out.put("runningApps", q.running);
  out.always("currentPriority", q.priority == INT32_MIN ? 0 : q.priority);
  out.put("allocatingAcceptedApps", q.accepted);
  put_policies(q, out);
  return out.take();
}

std::optional<int64_t> duration_ms(std::string_view text) {
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    static constexpr std::pair<std::string_view, double> units[] = {{"ms", 1},   {"us", 0.001}, {"ns", 0.000001},
                                                                    {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
    const auto unit =
        std::find_if(std::begin(units), std::end(units), [&](const auto &u) { return text.starts_with(u.first); });
    if (unit == std::end(units)) return std::nullopt;
    total += number * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return std::abs(total) < 9e15 ? std::optional(static_cast<int64_t>(total)) : std::nullopt;
}

std::string duration_text(int64_t ms) {
  if (ms == 0) return "0s";
  if (ms < 1000) return std::to_string(ms) + "ms";
  std::string out;
  const int64_t hours = ms / 3'600'000, minutes = ms / 60'000 % 60, left = ms % 60'000;
  if (hours != 0) out += std::to_string(hours) + "h";
  if (hours != 0 || minutes != 0) out += std::to_string(minutes) + "m";
  std::string seconds = std::to_string(left / 1000);
  if (left % 1000 != 0) {
    std::string fraction = std::to_string(1000 + left % 1000).substr(1);
    while (fraction.ends_with('0')) fraction.pop_back();
    seconds += "." + fraction;
  }
  return out + seconds + "s";
}

}  // namespace tenon::rest
