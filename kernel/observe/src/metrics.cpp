// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "metrics.hpp"

#include <algorithm>
#include <cmath>

#include "tenon/abi/host_read.h"
#include "tenon/kernel/state_tables.hpp"

namespace tenon::observe {
namespace {

int64_t now_unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

template <class T>
std::span<const T> all(const tenon_view_list &list) {
  return {static_cast<const T *>(list.first), list.count};
}

std::string text(const tenon_text &t) { return {t.data == nullptr ? "" : t.data, t.length}; }

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

std::string lower(std::string s) {
  for (char &c : s) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return s;
}

family make(std::string name, std::string help, uint32_t type) { return {std::move(name), std::move(help), type, {}}; }

void add_amounts(family &f, const std::map<std::string, std::string> &labels, const tenon_rm_amounts &amounts) {
  for (uint32_t i = 0; i < amounts.count; ++i) {
    auto of = labels;
    of["resource"] = text(amounts.types[i]);
    f.samples.push_back({std::move(of), static_cast<double>(amounts.values[i]), nullptr});
  }
}

void add_queue(family &apps, family &resources, const tenon_view_queue &q,
               const std::map<std::string, int64_t> &states) {
  const std::string path = text(q.path);
  for (const auto &[state, count] : states) {
    apps.samples.push_back({{{"queue", path}, {"state", state}}, static_cast<double>(count), nullptr});
  }
  const auto of = [&](const char *state) {
    return std::map<std::string, std::string>{{"queue", path}, {"state", state}};
  };
  add_amounts(resources, of("guaranteed"), q.guaranteed);
  add_amounts(resources, of("max"), q.max);
  add_amounts(resources, of("allocated"), q.allocated);
  add_amounts(resources, of("pending"), q.pending);
  add_amounts(resources, of("preempting"), q.preempting);
  if (q.most_applications != 0) {
    auto labels = of("maxRunningApps");
    labels["resource"] = "apps";
    resources.samples.push_back({std::move(labels), static_cast<double>(q.most_applications), nullptr});
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

void histogram::add(double value) {
  double bound = least;
  for (size_t i = 0; i < buckets; ++i, bound *= factor) {
    if (value <= bound) {
      ++in_[i];
      break;
    }
  }
  ++count_;
  sum_ = sum_ + value;
}

std::array<double, histogram::buckets> histogram::bounds() {
  std::array<double, buckets> out{};
  double bound = least;
  for (double &one : out) {
    one = bound;
    bound *= factor;
  }
  return out;
}

std::array<uint64_t, histogram::buckets> histogram::at_most() const {
  std::array<uint64_t, buckets> out{};
  uint64_t sum = 0;
  for (size_t i = 0; i < buckets; ++i) out[i] = sum += in_[i];
  return out;
}

metrics_maker::metrics_maker(door &to, host::module_host &modules, snapshot_keeper &keeper,
                             std::chrono::milliseconds memory)
    : door_(to), modules_(modules), keeper_(keeper), health_(to, modules, memory) {}

void metrics_maker::count(std::span<const decision_view> decisions, const kernel &k) {
  history_.decided(k, now_unix_ms());
  for (const decision_view &d : decisions) {
    ++decisions_[static_cast<size_t>(d.kind)];
    if (d.kind == decision_kind::released) ++releases_[static_cast<size_t>(d.why)];
    if (d.kind == decision_kind::application_state) {
      if (d.text == tenon::name(application_state::completed)) ++completed_;
      if (d.text == tenon::name(application_state::failed)) ++failed_;
    }
    if (d.kind == decision_kind::node_rejected) health_.node_refused();
  }
}

void metrics_maker::cycle_took(double seconds, uint64_t decisions) {
  cycle_.add(seconds);
  if (decisions != 0) scheduling_.add(seconds / static_cast<double>(decisions));
}

void metrics_maker::add_counters(std::vector<family> &out) const {
  const auto of = [&](decision_kind k) { return static_cast<double>(decisions_[static_cast<size_t>(k)]); };
  family attempts = make("yunikorn_scheduler_container_allocation_attempt_total",
                         "Attempts to place an ask, by how they ended.", TENON_METRIC_COUNTER);
  attempts.samples = {{{{"state", "allocated"}}, of(decision_kind::allocated), nullptr},
                      {{{"state", "rejected"}}, of(decision_kind::ask_rejected), nullptr},
                      {{{"state", "error"}}, of(decision_kind::allocation_rejected), nullptr},
                      {{{"state", "released"}}, of(decision_kind::released), nullptr}};
  out.push_back(std::move(attempts));
  family submissions = make("yunikorn_scheduler_application_submission_total", "Applications that were submitted.",
                            TENON_METRIC_COUNTER);
  const double accepted = of(decision_kind::application_accepted), rejected = of(decision_kind::application_rejected);
  submissions.samples = {{{{"result", "new"}}, accepted + rejected, nullptr},
                         {{{"result", "accepted"}}, accepted, nullptr},
                         {{{"result", "rejected"}}, rejected, nullptr}};
  out.push_back(std::move(submissions));
  const auto timing = [&](const char *name, const char *help, const histogram &h) {
    family f = make(name, help, TENON_METRIC_HISTOGRAM);
    f.samples.push_back({{}, 0, &h});
    out.push_back(std::move(f));
  };
  timing("yunikorn_scheduler_scheduling_latency_milliseconds", "Seconds that one decision took.", scheduling_);
  timing("yunikorn_scheduler_scheduling_cycle_milliseconds", "Seconds that one turn of the scheduler took.", cycle_);
}

void metrics_maker::add_state(std::vector<family> &out) {
  const auto view = keeper_.get(TENON_READ_QUEUES | TENON_READ_NODES | TENON_READ_APPLICATIONS, {},
                                snapshot_keeper::clock::now() + std::chrono::seconds(10));
  if (view == nullptr) return;
  family apps = make("yunikorn_scheduler_application_total", "Applications by state.", TENON_METRIC_GAUGE);
  family queue_apps = make("yunikorn_queue_app", "Applications of a queue by state.", TENON_METRIC_GAUGE);
  family queue_resources = make("yunikorn_queue_resource", "Resources of a queue.", TENON_METRIC_GAUGE);
  family nodes = make("yunikorn_scheduler_node", "Nodes by state.", TENON_METRIC_GAUGE);
  std::map<std::string, int64_t> states = {{"running", 0}, {"resuming", 0}, {"failing", 0}, {"completing", 0}};
  std::map<std::string, range_counts> types;
  int64_t active = 0, draining = 0;
  std::map<std::string, std::map<std::string, int64_t>> by_queue;
  for (const auto &p : all<tenon_view_partition>(view->view.partitions)) {
    for (const auto &a : all<tenon_view_application>(p.active)) {
      const std::string state = lower(text(a.state));
      if (states.contains(state)) ++states[state];
      ++by_queue[text(p.name) + text(a.queue)][state];
    }
    for (const auto &n : all<tenon_view_node>(p.nodes)) {
      ++((n.flags & TENON_VIEW_SCHEDULABLE) != 0 ? active : draining);
      add_node_use(n, types);
    }
  }
  const bool several = view->view.partitions.count > 1;
  for (const auto &p : all<tenon_view_partition>(view->view.partitions)) {
    const size_t apps_from = queue_apps.samples.size(), resources_from = queue_resources.samples.size();
    for (const auto &q : all<tenon_view_queue>(p.queues)) {
      std::map<std::string, int64_t> counts = {{"new", 0},     {"accepted", 0}, {"starting", 0},  {"running", 0},
                                               {"failing", 0}, {"resuming", 0}, {"completing", 0}};
      if (const auto found = by_queue.find(text(p.name) + text(q.path)); found != by_queue.end()) {
        for (const auto &[state, count] : found->second) counts[state] = count;
      }
      add_queue(queue_apps, queue_resources, q, counts);
    }
    // Queues of equal names in two partitions are two.
    if (!several) continue;
    for (size_t i = apps_from; i < queue_apps.samples.size(); ++i)
      queue_apps.samples[i].labels["partition"] = text(p.name);
    for (size_t i = resources_from; i < queue_resources.samples.size(); ++i) {
      queue_resources.samples[i].labels["partition"] = text(p.name);
    }
  }
  for (const auto &[state, count] : states)
    apps.samples.push_back({{{"state", state}}, static_cast<double>(count), nullptr});
  apps.samples.push_back({{{"state", "completed"}}, static_cast<double>(completed_), nullptr});
  apps.samples.push_back({{{"state", "failed"}}, static_cast<double>(failed_), nullptr});
  const double seen = static_cast<double>(decisions_[static_cast<size_t>(decision_kind::node_accepted)]);
  nodes.samples = {
      {{{"state", "active"}}, static_cast<double>(active), nullptr},
      {{{"state", "draining"}}, static_cast<double>(draining), nullptr},
      {{{"state", "failed"}},
       static_cast<double>(decisions_[static_cast<size_t>(decision_kind::node_rejected)]),
       nullptr},
      {{{"state", "decommissioned"}}, std::max(0.0, seen - static_cast<double>(active + draining)), nullptr}};
  for (const auto &[type, counts] : types) {
    family use = make("yunikorn_scheduler_" + metric_name(type) + "_node_usage_total",
                      "Nodes by how much of " + type + " they use.", TENON_METRIC_GAUGE);
    for (size_t i = 0; i < counts.size(); ++i) {
      const std::string range = (i == 0 ? "[" : "(") + (i == 0 ? std::string("0") : std::to_string(i * 10) + "%") +
                                "," + std::to_string((i + 1) * 10) + "%]";
      use.samples.push_back({{{"range", range}}, static_cast<double>(counts[i]), nullptr});
    }
    const auto same = std::find_if(out.begin(), out.end(), [&](const family &f) { return f.name == use.name; });
    if (same == out.end()) out.push_back(std::move(use));
  }
  for (family *f : {&apps, &queue_apps, &queue_resources, &nodes}) {
    if (!f->samples.empty()) out.push_back(std::move(*f));
  }
}

void metrics_maker::add_service(std::vector<family> &out) const {
  const auto one = [&](const char *name, const char *help, uint32_t type, double value) {
    family f = make(name, help, type);
    f.samples.push_back({{}, value, nullptr});
    out.push_back(std::move(f));
  };
  const auto snapshots = keeper_.counters();
  one("tenon_snapshots_made_total", "Snapshots made for readers.", TENON_METRIC_COUNTER,
      static_cast<double>(snapshots.made));
  one("tenon_snapshots_shared_total", "Readers who got a snapshot that was there.", TENON_METRIC_COUNTER,
      static_cast<double>(snapshots.shared));
  one("tenon_snapshots_seconds_total", "Time that readers took from scheduling.", TENON_METRIC_COUNTER,
      static_cast<double>(snapshots.spent_ns) / 1e9);
  one("tenon_snapshots_bytes", "Blocks that the kernel keeps for readers.", TENON_METRIC_GAUGE,
      static_cast<double>(snapshots.bytes));
  family calls = make("tenon_module_calls_total", "Calls of a module.", TENON_METRIC_COUNTER);
  family faults = make("tenon_module_faults_total", "Faults of a module.", TENON_METRIC_COUNTER);
  family seconds = make("tenon_module_seconds_total",
                        "Time in calls of a module, from one call in 64, which is measured.", TENON_METRIC_COUNTER);
  family longest = make("tenon_module_longest_call_seconds", "The longest of the measured calls.", TENON_METRIC_GAUGE);
  family overruns =
      make("tenon_module_overruns_total", "Calls of a module that took longer than its budget.", TENON_METRIC_COUNTER);
  for (const host::module_counters &m : modules_.counters()) {
    calls.samples.push_back({{{"module", m.id}}, static_cast<double>(m.calls), nullptr});
    faults.samples.push_back({{{"module", m.id}}, static_cast<double>(m.faults), nullptr});
    overruns.samples.push_back({{{"module", m.id}}, static_cast<double>(m.overruns), nullptr});
    seconds.samples.push_back({{{"module", m.id}}, static_cast<double>(m.total_ns()) / 1e9, nullptr});
    longest.samples.push_back({{{"module", m.id}}, static_cast<double>(m.most_ns) / 1e9, nullptr});
  }
  family mailbox = make("tenon_mailbox_requests", "Requests of a resource manager that wait.", TENON_METRIC_GAUGE);
  family outbox =
      make("tenon_outbox_answers", "Answers that a resource manager has not acknowledged.", TENON_METRIC_GAUGE);
  family retries = make("tenon_retries_total", "Submissions of a resource manager that were told to come again.",
                        TENON_METRIC_COUNTER);
  for (const rm_record &rm : door_.rms()) {
    mailbox.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.waiting_requests), nullptr});
    outbox.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.waiting_answers), nullptr});
    retries.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.retries), nullptr});
  }
  for (family *f : {&calls, &seconds, &longest, &faults, &overruns, &mailbox, &outbox, &retries}) {
    if (!f->samples.empty()) out.push_back(std::move(*f));
  }
}

std::vector<family> metrics_maker::families() {
  std::vector<family> out;
  add_counters(out);
  add_state(out);
  add_service(out);
  for (figure &f : door_.figures()) {
    auto same = std::find_if(out.begin(), out.end(), [&](const family &known) { return known.name == f.name; });
    if (same == out.end()) {
      out.push_back(make(f.name, f.help, f.counter ? TENON_METRIC_COUNTER : TENON_METRIC_GAUGE));
      same = out.end() - 1;
    }
    same->samples.push_back({std::move(f.labels), f.value, nullptr});
  }
  std::sort(out.begin(), out.end(), [](const family &a, const family &b) { return a.name < b.name; });
  return out;
}

void metrics_maker::look_at_minute() {
  const auto view = keeper_.get(0, {}, snapshot_keeper::clock::now() + std::chrono::seconds(10));
  if (view != nullptr) history_.looked(view->view, now_unix_ms());
}

std::shared_ptr<const metrics_view> metrics_maker::read(uint32_t wanted) {
  auto out = std::make_shared<metrics_view>();
  tenon_reading &flat = out->flat;
  flat.size = sizeof flat;
  flat.wanted = wanted;
  flat_room &room = out->room;
  if ((wanted & TENON_METRICS_FAMILIES) != 0) {
    out->families = families();
    flat.families = room.list<tenon_metric_family>(out->families, [&](const family &f) {
      tenon_metric_family one{};
      one.type = f.type;
      one.name = text_of(f.name);
      one.help = text_of(f.help);
      one.metrics = room.list<tenon_metric>(f.samples, [&](const sample &s) {
        tenon_metric m{};
        m.labels = room.pairs(s.labels);
        m.value = s.value;
        if (s.of == nullptr) return m;
        auto *bounds = room.array<double>(histogram::buckets);
        auto *counts = room.array<uint64_t>(histogram::buckets);
        const auto all_bounds = histogram::bounds();
        const auto at_most = s.of->at_most();
        std::copy(all_bounds.begin(), all_bounds.end(), bounds);
        std::copy(at_most.begin(), at_most.end(), counts);
        m.bucket_count = histogram::buckets;
        m.count = std::max(s.of->count(), at_most.back());
        m.value = s.of->sum();
        m.bounds = bounds;
        m.at_most = counts;
        return m;
      });
      return one;
    });
  }
  if ((wanted & TENON_METRICS_MODULES) != 0) {
    out->modules = modules_.counters();
    flat.modules = room.list<tenon_module_activity>(out->modules, [&](const host::module_counters &m) {
      tenon_module_activity one{};
      one.module = text_of(m.id);
      one.version = text_of(m.version);
      one.state = text_of(m.faults == 0 ? "active" : "fallback");
      one.calls = m.calls;
      one.faults = m.faults;
      one.fallbacks = m.faults;
      one.total_ns = m.total_ns();
      one.most_ns = m.most_ns;
      return one;
    });
  }
  if ((wanted & TENON_METRICS_HISTORY) != 0) {
    look_at_minute();
    flat.history = room.list<tenon_minute>(history_.all(), [](const history::minute &m) {
      return tenon_minute{0, 0, m.at_ms, m.running, m.containers};
    });
  }
  if ((wanted & TENON_METRICS_HEALTH) != 0) {
    out->health = health_.look();
    flat.health = room.list<tenon_health>(out->health, [](const health_check &c) {
      return tenon_health{0, c.diagnosis.empty() ? 1U : 0U, text_of(c.name), text_of(c.meaning), text_of(c.diagnosis)};
    });
  }
  return out;
}

}  // namespace tenon::observe
