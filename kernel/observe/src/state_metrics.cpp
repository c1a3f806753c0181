// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Metrics that are read off a snapshot: applications, queues and nodes as they are now.
#include <algorithm>
#include <cmath>
#include <set>

#include "metrics.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/text/letters.hpp"
#include "view_text.hpp"

namespace tenon::observe {
namespace {

// Of a resource type, as part of a metric's name.
std::string metric_name(std::string_view type) {
  std::string out;
  for (const char c : type) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
    out += fine ? c : '_';
  }
  if (!out.empty() && out[0] >= '0' && out[0] <= '9') out.insert(out.begin(), '_');
  return out;
}

void add_amounts(family &f, const std::map<std::string, std::string> &labels, const tenon_rm_amounts &amounts) {
  for (uint32_t i = 0; i < amounts.count; ++i) {
    auto of = labels;
    of["resource"] = text(amounts.types[i]);
    f.samples.push_back({std::move(of), static_cast<double>(amounts.values[i])});
  }
}

// With 0 for types of which there is nothing: a series that comes and goes is no curve.
void add_used(family &f, const std::map<std::string, std::string> &labels, const tenon_rm_amounts &amounts,
              const std::set<std::string> &types) {
  std::map<std::string, int64_t> all;
  for (const std::string &type : types) all[type] = 0;
  for (uint32_t i = 0; i < amounts.count; ++i) all[text(amounts.types[i])] = amounts.values[i];
  for (const auto &[type, amount] : all) {
    auto of = labels;
    of["resource"] = type;
    f.samples.push_back({std::move(of), static_cast<double>(amount)});
  }
}

void add_queue(family &apps, family &resources, const tenon_view_queue &q, const std::map<std::string, int64_t> &states,
               const std::set<std::string> &types) {
  const std::string path = text(q.path);
  for (const auto &[state, count] : states) {
    apps.samples.push_back({{{"queue", path}, {"state", state}}, static_cast<double>(count)});
  }
  const auto of = [&](const char *state) {
    return std::map<std::string, std::string>{{"queue", path}, {"state", state}};
  };
  add_amounts(resources, of("guaranteed"), q.guaranteed);
  add_amounts(resources, of("max"), q.max);
  add_used(resources, of("allocated"), q.allocated, types);
  add_used(resources, of("pending"), q.pending, types);
  add_used(resources, of("preempting"), q.preempting, types);
  if (q.most_applications != 0) {
    auto labels = of("maxRunningApps");
    labels["resource"] = "apps";
    resources.samples.push_back({std::move(labels), static_cast<double>(q.most_applications)});
  }
}

using range_counts = std::array<int64_t, 10>;

void add_node_use(const tenon_view_node &n, std::map<std::string, range_counts> &types) {
  for (uint32_t i = 0; i < n.capacity.count; ++i) {
    if (n.capacity.values[i] <= 0) continue;
    int64_t used = 0;
    for (uint32_t k = 0; k < n.allocated.count; ++k) {
      if (text(n.allocated.types[k]) == text(n.capacity.types[i])) used = n.allocated.values[k];
    }
    const double share = static_cast<double>(used) / static_cast<double>(n.capacity.values[i]) * 10;
    const auto at = static_cast<size_t>(std::clamp(std::ceil(share) - 1, 0.0, 9.0));
    ++types[text(n.capacity.types[i])][at];
  }
}

}  // namespace

void metrics_maker::add_state(std::vector<family> &out) {
  const auto view = keeper_.get(TENON_READ_QUEUES | TENON_READ_NODES | TENON_READ_APPLICATIONS | TENON_READ_ASKS, {},
                                snapshot_keeper::clock::now() + std::chrono::seconds(10));
  if (view == nullptr) return;
  add_waiting(out, view->view);
  family apps = make_family("yunikorn_scheduler_application_total", "Applications by state.", TENON_METRIC_GAUGE);
  family queue_apps = make_family("yunikorn_queue_app", "Applications of a queue by state.", TENON_METRIC_GAUGE);
  family queue_resources = make_family("yunikorn_queue_resource", "Resources of a queue.", TENON_METRIC_GAUGE);
  family nodes = make_family("yunikorn_scheduler_node", "Nodes by state.", TENON_METRIC_GAUGE);
  std::map<std::string, int64_t> states = {{"running", 0}, {"resuming", 0}, {"failing", 0}, {"completing", 0}};
  std::map<std::string, range_counts> types;
  int64_t active = 0, draining = 0;
  std::map<std::string, std::map<std::string, int64_t>> by_queue;
  for (const auto &p : all<tenon_view_partition>(view->view.partitions)) {
    for (const auto &a : all<tenon_view_application>(p.active)) {
      const std::string state = lower_case(text(a.state));
      if (states.contains(state)) ++states[state];
      ++by_queue[text(p.name) + text(a.queue)][state];
    }
    for (const auto &n : all<tenon_view_node>(p.nodes)) {
      ++((n.flags & TENON_VIEW_SCHEDULABLE) != 0 ? active : draining);
      add_node_use(n, types);
    }
  }
  const bool several = view->view.partitions.count > 1;
  auto ended = ended_.all();
  for (const auto &p : all<tenon_view_partition>(view->view.partitions)) {
    const size_t apps_from = queue_apps.samples.size(), resources_from = queue_resources.samples.size();
    std::set<std::string> known;
    for (uint32_t i = 0; i < p.capacity.count; ++i) known.insert(text(p.capacity.types[i]));
    for (const auto &q : all<tenon_view_queue>(p.queues)) {
      std::map<std::string, int64_t> counts = {{"new", 0},     {"accepted", 0}, {"starting", 0},  {"running", 0},
                                               {"failing", 0}, {"resuming", 0}, {"completing", 0}};
      if (const auto found = by_queue.find(text(p.name) + text(q.path)); found != by_queue.end()) {
        for (const auto &[state, count] : found->second) counts[state] = count;
      }
      for (const char *state : {"rejected", "failed", "completed"}) {
        counts[state] = static_cast<int64_t>(ended[{text(p.name), text(q.path), state}]);
      }
      add_queue(queue_apps, queue_resources, q, counts, known);
    }
    // Queues of equal names in two partitions are two.
    if (!several) continue;
    for (size_t i = apps_from; i < queue_apps.samples.size(); ++i)
      queue_apps.samples[i].labels["partition"] = text(p.name);
    for (size_t i = resources_from; i < queue_resources.samples.size(); ++i) {
      queue_resources.samples[i].labels["partition"] = text(p.name);
    }
  }
  family ended_apps =
      make_family("yunikorn_queue_app_total", "Applications of a queue that ended.", TENON_METRIC_COUNTER);
  for (const auto &[of, count] : ended) {
    std::map<std::string, std::string> labels = {{"queue", of.queue}, {"state", of.state}};
    if (several) labels["partition"] = of.partition;
    ended_apps.samples.push_back({std::move(labels), static_cast<double>(count)});
  }
  for (const auto &[state, count] : states) apps.samples.push_back({{{"state", state}}, static_cast<double>(count)});
  apps.samples.push_back({{{"state", "completed"}}, static_cast<double>(completed_)});
  apps.samples.push_back({{{"state", "failed"}}, static_cast<double>(failed_)});
  const double seen = static_cast<double>(decisions_[static_cast<size_t>(decision_kind::node_accepted)]);
  nodes.samples = {
      {{{"state", "active"}}, static_cast<double>(active)},
      {{{"state", "draining"}}, static_cast<double>(draining)},
      {{{"state", "failed"}}, static_cast<double>(decisions_[static_cast<size_t>(decision_kind::node_rejected)])},
      {{{"state", "decommissioned"}}, std::max(0.0, seen - static_cast<double>(active + draining))}};
  for (const auto &[type, counts] : types) {
    family use = make_family("yunikorn_scheduler_" + metric_name(type) + "_node_usage_total",
                             "Nodes by how much of " + type + " they use.", TENON_METRIC_GAUGE);
    for (size_t i = 0; i < counts.size(); ++i) {
      const std::string range = (i == 0 ? "[" : "(") + (i == 0 ? std::string("0") : std::to_string(i * 10) + "%") +
                                "," + std::to_string((i + 1) * 10) + "%]";
      use.samples.push_back({{{"range", range}}, static_cast<double>(counts[i])});
    }
    const auto same = std::find_if(out.begin(), out.end(), [&](const family &f) { return f.name == use.name; });
    if (same == out.end()) out.push_back(std::move(use));
  }
  for (family *f : {&apps, &queue_apps, &ended_apps, &queue_resources, &nodes}) {
    if (!f->samples.empty()) out.push_back(std::move(*f));
  }
}

}  // namespace tenon::observe
