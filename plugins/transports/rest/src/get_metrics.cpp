// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is counted: metrics, modules and the history of the last day.
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "handlers.hpp"
#include "json_objects.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

prometheus::MetricType type_of(uint32_t type) {
  switch (type) {
    case TENON_METRIC_COUNTER:
      return prometheus::MetricType::Counter;
    case TENON_METRIC_HISTOGRAM:
      return prometheus::MetricType::Histogram;
    default:
      return prometheus::MetricType::Gauge;
  }
}

prometheus::ClientMetric metric_of(const tenon_metric &m, uint32_t type) {
  prometheus::ClientMetric out;
  for (uint64_t i = 0; i < m.labels.count; ++i) {
    out.label.push_back({std::string(view(m.labels.names[i])), std::string(view(m.labels.values[i]))});
  }
  if (type == TENON_METRIC_COUNTER) {
    out.counter.value = m.value;
  } else if (type == TENON_METRIC_HISTOGRAM) {
    out.histogram.sample_sum = m.value;
    out.histogram.sample_count = m.count;
    for (uint32_t i = 0; i < m.bucket_count; ++i) out.histogram.bucket.push_back({m.at_most[i], m.bounds[i]});
  } else {
    out.gauge.value = m.value;
  }
  return out;
}

constexpr std::string_view no_history = "Internal metrics collection is not enabled.";

}  // namespace

answer get_metrics(const context &c) {
  const reading now(c.use, TENON_METRICS_FAMILIES);
  std::vector<prometheus::MetricFamily> families;
  for (const auto &f : listed<tenon_metric_family>(now->families)) {
    prometheus::MetricFamily one;
    one.name = view(f.name);
    one.help = view(f.help);
    one.type = type_of(f.type);
    for (const auto &m : listed<tenon_metric>(f.metrics)) one.metric.push_back(metric_of(m, f.type));
    families.push_back(std::move(one));
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8", prometheus::TextSerializer().Serialize(families), {}};
}

answer get_modules(const context &c) {
  const reading now(c.use, TENON_METRICS_MODULES);
  json::array out;
  for (const auto &m : listed<tenon_module_activity>(now->modules)) {
    object_writer one;
    one.always("module", view(m.module));
    one.put("version", m.version);
    one.put("kind", m.kind);
    one.put("name", m.name);
    one.put("partition", m.partition);
    one.always("state", view(m.state));
    one.put("lastFault", m.last_fault);
    one.always("calls", m.calls);
    one.always("faults", m.faults);
    one.always("fallbacks", m.fallbacks);
    one.always("totalNanoseconds", m.total_ns);
    one.always("mostNanoseconds", m.most_ns);
    out.push_back(one.take());
  }
  return json_answer(out);
}

answer get_call_shadows(const context &c) {
  const reading now(c.use, TENON_METRICS_SHADOWS);
  json::array out;
  for (const auto &s : listed<tenon_call_shadow>(now->shadows)) {
    object_writer one;
    one.always("module", view(s.module));
    one.always("kind", view(s.kind));
    one.always("name", view(s.name));
    one.always("shadow", view(s.shadow));
    one.always("shadowVersion", view(s.shadow_version));
    one.always("shadowName", view(s.shadow_name));
    one.put("off", s.off);
    one.put("lastFault", s.last_fault);
    one.always("calls", s.calls);
    one.always("items", s.items);
    one.always("skipped", s.skipped);
    one.always("faults", s.faults);
    one.always("spentNanoseconds", s.spent_ns);
    one.always("forgotten", s.forgotten);
    one.always("differences", s.differences);
    json::array differences;
    for (const auto &d : listed<tenon_shadow_difference>(s.first_differences)) {
      object_writer each;
      each.always("what", view(d.what));
      each.always("time", nanoseconds(d.at_ms));
      each.always("slot", view(d.slot));
      each.put("of", d.of);
      each.always("object", view(d.object));
      each.put("other", d.other);
      each.always("first", view(d.first));
      each.always("shadow", view(d.shadow));
      differences.push_back(each.take());
    }
    one.always("firstDifferences", std::move(differences));
    out.push_back(one.take());
  }
  return json_answer(out);
}

// As the control socket has it: the host's JSON.
answer get_world_shadow(const context &c) {
  const reading now(c.use, TENON_METRICS_WORLD_SHADOW);
  if (now->world_shadow.length == 0)
    throw refused{404, "no shadow: the deployment has none; add `shadow: {}` and what of it is to be otherwise"};
  answer found;
  found.body = view(now->world_shadow);
  return found;
}

answer get_application_history(const context &c) {
  if (c.use.metrics == nullptr) return error_answer(500, no_history);
  const reading now(c.use, TENON_METRICS_HISTORY);
  json::array out;
  for (const auto &m : listed<tenon_minute>(now->history)) {
    out.push_back(json::object{{"timestamp", nanoseconds(m.at_ms)},
                               {"totalApplications", std::to_string(m.running_applications)}});
  }
  return json_answer(out);
}

answer get_container_history(const context &c) {
  if (c.use.metrics == nullptr) return error_answer(500, no_history);
  const reading now(c.use, TENON_METRICS_HISTORY);
  json::array out;
  for (const auto &m : listed<tenon_minute>(now->history)) {
    out.push_back(json::object{{"timestamp", nanoseconds(m.at_ms)}, {"totalContainers", std::to_string(m.containers)}});
  }
  return json_answer(out);
}

}  // namespace tenon::rest
