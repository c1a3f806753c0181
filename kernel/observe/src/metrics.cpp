// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "metrics.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "process_figures.hpp"
#include "tenon/abi/host_read.h"
#include "tenon/kernel/state_tables.hpp"
#include "view_text.hpp"

namespace tenon::observe {
namespace {

// Returns how many applications and asks the view has.
uint64_t waiting_objects(const tenon_view &view) {
  uint64_t out = 0;
  for (const auto &p : all<tenon_view_partition>(view.partitions)) {
    out += p.active.count;
    for (const auto &a : all<tenon_view_application>(p.active)) out += a.asks.count;
  }
  return out;
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

}  // namespace

int64_t now_unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

distribution histogram::read() const {
  distribution out{{}, {}, 0, sum_};
  uint64_t sum = 0;
  double bound = least;
  for (size_t i = 0; i < buckets; ++i, bound *= factor) {
    out.bounds.push_back(bound);
    out.at_most.push_back(sum += in_[i]);
  }
  out.count = std::max<uint64_t>(count_, sum);  // one may be added meanwhile
  return out;
}

metrics_maker::metrics_maker(kernel_access &to, host::module_host &modules, snapshot_keeper &keeper,
                             health_checks &health)
    : access_(to), modules_(modules), keeper_(keeper), health_(health) {}

metrics_maker::~metrics_maker() { close(); }

void metrics_maker::close() {
  std::thread watching;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    watching.swap(thread_);
  }
  wake_.notify_all();
  if (watching.joinable()) watching.join();
}

void metrics_maker::count(std::span<const decision_view> decisions, const kernel &k) {
  history_.decided(k, now_unix_ms());
  if (k.now_ms() - forgot_ms_ >= forget_every_ms) {
    forgot_ms_ = k.now_ms();
    tallies_.forget_gone(k);
    ended_.forget_gone(k);
  }
  tallies_.count(decisions);
  timeline_.count(decisions);
  for (const decision_view &d : decisions) {
    ++decisions_[d.what.index()];
    if (const auto *gone = d.as<decided::released>()) ++releases_[static_cast<size_t>(gone->end)];
    ended_.count(d);
    if (const auto *now = d.as<decided::application_state>()) {
      if (now->state == application_state::completed) ++completed_;
      if (now->state == application_state::failed) ++failed_;
    }
    if (d.is(decision_kind::node_rejected)) health_.node_refused(d.partition, d.node, text_of(d));
    if (d.is(decision_kind::node_accepted)) health_.node_accepted(d.partition, d.node);
  }
}

void metrics_maker::cycle_took(double seconds, uint64_t decisions) {
  if (!is_watched_ && !access_.is_manual()) {
    const std::lock_guard lock(mutex_);
    is_watched_ = true;
    if (!closed_) thread_ = std::thread([this] { look_at_curve_now_and_then(); });
  }
  cycle_.add(seconds);
  if (decisions != 0) scheduling_.add(seconds / static_cast<double>(decisions));
}

void metrics_maker::add_counters(std::vector<family> &out) const {
  const auto of = [&](decision_kind k) { return static_cast<double>(decisions_[static_cast<size_t>(k)]); };
  family attempts = make_family("yunikorn_scheduler_container_allocation_attempt_total",
                                "Attempts to place an ask, by how they ended.", TENON_METRIC_COUNTER);
  attempts.samples = {{{{"state", "allocated"}}, of(decision_kind::allocated)},
                      {{{"state", "rejected"}}, of(decision_kind::ask_rejected)},
                      {{{"state", "error"}}, of(decision_kind::allocation_rejected)},
                      {{{"state", "released"}}, of(decision_kind::released)}};
  out.push_back(std::move(attempts));
  family submissions = make_family("yunikorn_scheduler_application_submission_total",
                                   "Applications that were submitted.", TENON_METRIC_COUNTER);
  const double accepted = of(decision_kind::application_accepted), rejected = of(decision_kind::application_rejected);
  submissions.samples = {{{{"result", "new"}}, accepted + rejected},
                         {{{"result", "accepted"}}, accepted},
                         {{{"result", "rejected"}}, rejected}};
  out.push_back(std::move(submissions));
  const auto timing = [&](const char *name, const char *help, const histogram &h) {
    family f = make_family(name, help, TENON_METRIC_HISTOGRAM);
    f.samples.push_back({{}, 0, h.read()});
    out.push_back(std::move(f));
  };
  timing("yunikorn_scheduler_scheduling_latency_milliseconds", "Seconds that one decision took.", scheduling_);
  timing("yunikorn_scheduler_scheduling_cycle_milliseconds", "Seconds that one turn of the scheduler took.", cycle_);
}

void metrics_maker::add_shadows(std::vector<family> &out) const {
  const auto shadows = modules_.shadows();
  if (shadows.empty()) return;
  const auto add = [&](const char *called, const char *help, uint32_t type, auto &&value) {
    family f = make_family(called, help, type);
    for (const host::call_shadow_status &s : shadows) {
      f.samples.push_back({{{"module", s.module}, {"kind", s.kind}, {"name", s.name}, {"shadow", s.shadow}}, value(s)});
    }
    out.push_back(std::move(f));
  };
  using status = host::call_shadow_status;
  add("tenon_call_shadow_on", "Whether the shadow of a policy is asked: 1 or 0.", TENON_METRIC_GAUGE,
      [](const status &s) { return s.off.empty() ? 1.0 : 0.0; });
  add("tenon_call_shadow_calls_total", "Calls of a policy in which its shadow was asked, too.", TENON_METRIC_COUNTER,
      [](const status &s) { return static_cast<double>(s.calls); });
  add("tenon_call_shadow_items_total", "Items in these calls.", TENON_METRIC_COUNTER,
      [](const status &s) { return static_cast<double>(s.items); });
  add("tenon_call_shadow_skipped_total", "Calls without it, since its process was not there.", TENON_METRIC_COUNTER,
      [](const status &s) { return static_cast<double>(s.skipped); });
  add("tenon_call_shadow_faults_total", "Faults of the shadow, which no decision depends on.", TENON_METRIC_COUNTER,
      [](const status &s) { return static_cast<double>(s.faults); });
  add("tenon_call_shadow_seconds_total", "Time that the scheduler spent for the shadow.", TENON_METRIC_COUNTER,
      [](const status &s) { return static_cast<double>(s.spent_ns) / 1e9; });
  family differences = make_family("tenon_call_shadow_differences_total",
                                   "What the shadow said differently, by what it is about.", TENON_METRIC_COUNTER);
  for (const status &s : shadows) {
    for (size_t i = 0; i < s.differences.size(); ++i)
      differences.samples.push_back({{{"module", s.module},
                                      {"kind", s.kind},
                                      {"name", s.name},
                                      {"shadow", s.shadow},
                                      {"what", std::string(host::shadow_difference_names[i])}},
                                     static_cast<double>(s.differences[i])});
  }
  out.push_back(std::move(differences));
}

void metrics_maker::add_service(std::vector<family> &out) const {
  const auto one = [&](const char *name, const char *help, uint32_t type, double value) {
    family f = make_family(name, help, type);
    f.samples.push_back({{}, value});
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
  family calls = make_family("tenon_module_calls_total", "Calls of a module.", TENON_METRIC_COUNTER);
  family faults = make_family("tenon_module_faults_total", "Faults of a module.", TENON_METRIC_COUNTER);
  family seconds = make_family(
      "tenon_module_seconds_total",
      "Time in calls of a module; of the project's own from one call in 64, which is measured.", TENON_METRIC_COUNTER);
  family longest =
      make_family("tenon_module_longest_call_seconds", "The longest of the measured calls.", TENON_METRIC_GAUGE);
  family overruns = make_family("tenon_module_overruns_total", "Calls of a module that took longer than its budget.",
                                TENON_METRIC_COUNTER);
  family verdicts =
      make_family("tenon_module_verdicts_total", "Nodes that a predicate was asked about.", TENON_METRIC_COUNTER);
  family refusals =
      make_family("tenon_module_refusals_total", "Those of them that it did not let pass.", TENON_METRIC_COUNTER);
  family in_a_row = make_family("tenon_module_refusals_in_a_row", "The same since the last one that it let pass.",
                                TENON_METRIC_GAUGE);
  family unreturned =
      make_family("tenon_module_call_seconds", "How long a call of a module lasts that does not return; else absent.",
                  TENON_METRIC_GAUGE);
  family processes = make_family("tenon_module_processes", "Processes of a module.", TENON_METRIC_GAUGE);
  family threads = make_family("tenon_module_threads", "Threads of a module's processes.", TENON_METRIC_GAUGE);
  family memory = make_family("tenon_module_memory_bytes", "Memory of a module's processes, without what is shared.",
                              TENON_METRIC_GAUGE);
  family processor = make_family("tenon_module_processor_seconds_total", "Processor time of a module's processes.",
                                 TENON_METRIC_COUNTER);
  family waiting =
      make_family("tenon_module_waiting_seconds_total",
                  "Processor time spent looking for the answers of a module's processes.", TENON_METRIC_COUNTER);
  for (const host::long_call &c : modules_.long_calls())
    unreturned.samples.push_back({{{"module", c.module},
                                   {"interface", c.interface},
                                   {"name", c.name},
                                   {"slot", c.slot},
                                   {"thread", std::string(host::role_name(c.role))}},
                                  static_cast<double>(c.lasts.count()) / 1e3});
  for (const host::module_counters &m : modules_.counters()) {
    calls.samples.push_back({{{"module", m.id}}, static_cast<double>(m.calls)});
    faults.samples.push_back({{{"module", m.id}}, static_cast<double>(m.faults)});
    if (m.verdicts != 0) {
      verdicts.samples.push_back({{{"module", m.id}}, static_cast<double>(m.verdicts)});
      refusals.samples.push_back({{{"module", m.id}}, static_cast<double>(m.refusals)});
      in_a_row.samples.push_back({{{"module", m.id}}, static_cast<double>(m.refused_in_a_row)});
    }
    overruns.samples.push_back({{{"module", m.id}}, static_cast<double>(m.overruns)});
    seconds.samples.push_back({{{"module", m.id}}, static_cast<double>(m.total_ns()) / 1e9});
    longest.samples.push_back({{{"module", m.id}}, static_cast<double>(m.most_ns) / 1e9});
    processes.samples.push_back({{{"module", m.id}}, static_cast<double>(m.usage.processes)});
    threads.samples.push_back({{{"module", m.id}}, static_cast<double>(m.usage.threads)});
    memory.samples.push_back({{{"module", m.id}}, static_cast<double>(m.usage.memory_bytes)});
    processor.samples.push_back({{{"module", m.id}}, static_cast<double>(m.usage.processor_ns) / 1e9});
    waiting.samples.push_back({{{"module", m.id}}, static_cast<double>(m.usage.waited_ns) / 1e9});
  }
  one("tenon_build_info", "What runs; always 1.", TENON_METRIC_GAUGE, 1);
  out.back().samples[0].labels = {{"version", TENON_VERSION}, {"compiler", compiler()}};
  family health = make_family("tenon_health", "Checks of health: 1 where all is well.", TENON_METRIC_GAUGE);
  const health_report found = health_.look();
  std::map<std::string, double> well;  // some of the field's checks have one name
  for (const health_check &c : found.checks) {
    double &all = well.emplace(c.name, 1.0).first->second;
    if (c.is != health_check::state::well) all = 0;
  }
  for (const auto &[name, all] : well) health.samples.push_back({{{"check", name}}, all});
  out.push_back(std::move(health));
  family findings = make_family(
      "tenon_findings", "What should happen and does not, though no call of a module is a fault.", TENON_METRIC_GAUGE);
  std::array<double, outcome_finding_names.size()> of_kind{};
  for (const outcome_finding &f : health_.findings()) ++of_kind[static_cast<size_t>(f.what)];
  for (size_t i = 0; i < of_kind.size(); ++i)
    findings.samples.push_back({{{"finding", std::string(outcome_finding_names[i])}}, of_kind[i]});
  out.push_back(std::move(findings));
  family states = make_family("tenon_rm", "Resource managers by state; always 1.", TENON_METRIC_GAUGE);
  family connected =
      make_family("tenon_rm_connected", "Whether a resource manager is connected: 1 or 0.", TENON_METRIC_GAUGE);
  family mailbox =
      make_family("tenon_mailbox_requests", "Requests of a resource manager that wait.", TENON_METRIC_GAUGE);
  family outbox =
      make_family("tenon_outbox_answers", "Answers that a resource manager has not acknowledged.", TENON_METRIC_GAUGE);
  family retries = make_family("tenon_retries_total", "Submissions of a resource manager that were told to come again.",
                               TENON_METRIC_COUNTER);
  family kept = make_family("tenon_rm_kept", "What the scheduler keeps for a resource manager.", TENON_METRIC_GAUGE);
  family bounds = make_family("tenon_rm_bound", "What it may keep for it at the most.", TENON_METRIC_GAUGE);
  family beyond = make_family("tenon_rm_beyond_bound_total",
                              "Requests that were refused since they would make it more.", TENON_METRIC_COUNTER);
  for (const rm_record &rm : access_.rms()) {
    for (const rm_bound_record &bound : rm.bounds) {
      const std::map<std::string, std::string> labels{{"rm", rm.id}, {"what", bound.what}};
      kept.samples.push_back({labels, static_cast<double>(bound.kept)});
      bounds.samples.push_back({labels, static_cast<double>(bound.most)});
      beyond.samples.push_back({labels, static_cast<double>(bound.refused)});
    }
    states.samples.push_back({{{"rm", rm.id}, {"state", rm.state}, {"policy_group", rm.policy_group}}, 1});
    connected.samples.push_back({{{"rm", rm.id}}, rm.connected ? 1.0 : 0.0});
    mailbox.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.waiting_requests)});
    outbox.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.waiting_answers)});
    retries.samples.push_back({{{"rm", rm.id}}, static_cast<double>(rm.retries)});
  }
  for (family *f : {&calls,     &seconds, &longest, &faults,    &overruns, &verdicts,   &refusals, &in_a_row,
                    &processes, &threads, &memory,  &processor, &waiting,  &unreturned, &states,   &connected,
                    &mailbox,   &outbox,  &retries, &kept,      &bounds,   &beyond}) {
    if (!f->samples.empty()) out.push_back(std::move(*f));
  }
}

std::vector<family> metrics_maker::families() {
  std::vector<family> out;
  add_counters(out);
  add_state(out);
  add_queue_tallies(out);
  add_service(out);
  add_shadows(out);
  std::vector<figure> figures = access_.figures();
  for (figure &f : process_figures()) figures.push_back(std::move(f));
  for (figure &f : figures) {
    auto same = std::find_if(out.begin(), out.end(), [&](const family &known) { return known.name == f.name; });
    if (same == out.end()) {
      out.push_back(make_family(f.name, f.help, f.counter ? TENON_METRIC_COUNTER : TENON_METRIC_GAUGE));
      same = out.end() - 1;
    }
    same->samples.push_back({std::move(f.labels), f.value});
  }
  std::sort(out.begin(), out.end(), [](const family &a, const family &b) { return a.name < b.name; });
  return out;
}

void metrics_maker::look_at_minute() {
  const auto view = keeper_.get(0, {}, snapshot_keeper::clock::now() + std::chrono::seconds(10));
  if (view != nullptr) history_.looked(view->view, now_unix_ms());
}

// Noted on the kernel's thread, between two batches of decisions.
void metrics_maker::look_at_curve(std::chrono::seconds within) {
  keeper_.run([&](kernel &k) { timeline_.look(k.sums(), now_unix_ms()); }, snapshot_keeper::clock::now() + within);
}

void metrics_maker::look_at_queues(std::chrono::seconds within, std::chrono::nanoseconds apart) {
  const auto now = std::chrono::steady_clock::now();
  const int64_t now_ns = std::chrono::nanoseconds(now.time_since_epoch()).count();
  if (queues_looked_ns_ != 0 && now_ns - queues_looked_ns_ < apart.count()) return;
  queues_looked_ns_ = now_ns;
  const uint64_t before = keeper_.counters().spent_ns;
  constexpr uint32_t wanted = TENON_READ_QUEUES | TENON_READ_APPLICATIONS | TENON_READ_ASKS;
  const auto view = keeper_.get(wanted, {}, now + within);
  queues_cost_ns_ = static_cast<int64_t>(keeper_.counters().spent_ns - before);
  if (view == nullptr) return;
  queues_are_costly_ = waiting_objects(view->view) > most_objects_unasked;
  queue_curves_.look(view->view, now_unix_ms());
}

void metrics_maker::look_at_curve_now_and_then() {
  pthread_setname_np(pthread_self(), "tenon-history");
  // More seldom than a minute, for which the kernel keeps what a reader has seen, and for a thousandth of its time at
  // most.
  constexpr std::chrono::nanoseconds queues_every = std::chrono::seconds(120);
  const auto first_queues = std::chrono::steady_clock::now() + queues_every;
  std::unique_lock lock(mutex_);
  while (!closed_) {
    lock.unlock();
    const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeline::fine_ms);
    look_at_curve(std::chrono::seconds(2));  // a scheduler that stops waits for it
    const bool is_time = std::chrono::steady_clock::now() >= first_queues && !queues_are_costly_;
    const std::chrono::nanoseconds cost(1'000 * queues_cost_ns_);
    if (is_time) look_at_queues(std::chrono::seconds(2), std::max(queues_every, cost));
    (void)access_.rms();  // who is away, and since when
    lock.lock();
    wake_.wait_until(lock, next, [this] { return closed_; });
  }
}

void metrics_maker::put_curves(metrics_view &out) {
  std::vector<tenon_curve_point> points;
  for (const timeline::series &one : out.curves) {
    auto *types = out.memory.array<tenon_text>(one.types.size());
    std::transform(one.types.begin(), one.types.end(), types, [](const std::string &type) { return text_of(type); });
    const auto amounts = [&](const timeline::amounts &of) {
      return tenon_rm_amounts{types, of.data(), static_cast<uint32_t>(one.types.size()), 1};
    };
    for (const timeline::point &p : one.points) {
      points.push_back({0, 0, text_of(one.partition), p.at_ms, p.span_ms, amounts(p.capacity), amounts(p.used),
                        amounts(p.pending), p.waiting, p.decisions, p.placed, p.preempted, p.waited_seconds,
                        p.longest_seconds});
    }
  }
  out.flat.curve = out.memory.list<tenon_curve_point>(points, [](const tenon_curve_point &p) { return p; });
}

void metrics_maker::put_queue_curve(metrics_view &out) {
  const queue_curves::series &one = out.queue_curve;
  auto *types = out.memory.array<tenon_text>(one.types.size());
  std::transform(one.types.begin(), one.types.end(), types, [](const std::string &type) { return text_of(type); });
  const auto amounts = [&](const std::vector<int64_t> &of) {
    return tenon_rm_amounts{types, of.data(), static_cast<uint32_t>(of.size()), 1};
  };
  const auto counts = [&](const std::vector<std::pair<uint32_t, int64_t>> &of) {
    auto *names = out.memory.array<tenon_text>(of.size());
    auto *values = out.memory.array<int64_t>(of.size());
    for (size_t i = 0; i < of.size(); ++i) {
      names[i] = text_of(one.reasons[of[i].first]);
      values[i] = of[i].second;
    }
    return tenon_rm_amounts{names, values, static_cast<uint32_t>(of.size()), 1};
  };
  const auto point = [&](const queue_curves::point &p) {
    return tenon_queue_curve_point{
        0,         0,         p.at_ms,     p.span_ms,        amounts(p.used), amounts(p.pending),
        p.running, p.waiting, p.oldest_ms, counts(p.reasons)};
  };
  out.flat.queue_curve = out.memory.list<tenon_queue_curve_point>(one.points, point);
}

void metrics_maker::put_preemptions(metrics_view &out) {
  out.flat.preemptions = out.memory.list<tenon_preemption>(out.preemptions, [](const timeline::preemption &p) {
    return tenon_preemption{0,
                            0,
                            p.number,
                            p.at_ms,
                            text_of(p.partition),
                            text_of(p.queue),
                            text_of(p.application),
                            text_of(p.key),
                            text_of(p.node),
                            text_of(p.reason)};
  });
}

void metrics_maker::put_shadows(metrics_view &out) {
  flat_memory &memory = out.memory;
  out.flat.shadows = memory.list<tenon_call_shadow>(out.shadows, [&](const host::call_shadow_status &s) {
    tenon_call_shadow one{};
    one.module = text_of(s.module);
    one.kind = text_of(s.kind);
    one.name = text_of(s.name);
    one.shadow = text_of(s.shadow);
    one.shadow_version = text_of(s.shadow_version);
    one.shadow_name = text_of(s.shadow_name);
    one.off = text_of(s.off);
    one.last_fault = text_of(s.last_fault);
    one.calls = s.calls;
    one.items = s.items;
    one.skipped = s.skipped;
    one.faults = s.faults;
    one.spent_ns = s.spent_ns;
    one.forgotten = s.forgotten;
    one.differences = s.all_differences();
    one.first_differences =
        memory.list<tenon_shadow_difference>(s.first_differences, [&](const host::shadow_difference &d) {
          tenon_shadow_difference each{};
          each.at_ms = d.at_ms;
          each.what = text_of(host::shadow_difference_names[static_cast<size_t>(d.kind)]);
          each.slot = text_of(d.slot);
          each.of = text_of(d.of);
          each.object = text_of(d.objects.front());
          if (d.objects.size() > 1) each.other = text_of(d.objects[1]);
          each.first = text_of(d.first);
          each.shadow = text_of(d.shadow);
          return each;
        });
    return one;
  });
}

std::shared_ptr<const metrics_view> metrics_maker::read_queue_curve(const std::string &partition,
                                                                    const std::string &queue) {
  auto out = std::make_shared<metrics_view>();
  out->flat.size = sizeof out->flat;
  look_at_queues(std::chrono::seconds(10), std::chrono::seconds(1));
  out->queue_curve = queue_curves_.of(partition, queue);
  put_queue_curve(*out);
  return out;
}

std::shared_ptr<const metrics_view> metrics_maker::read(uint32_t wanted) {
  auto out = std::make_shared<metrics_view>();
  tenon_reading &flat = out->flat;
  flat.size = sizeof flat;
  flat.wanted = wanted;
  flat_memory &memory = out->memory;
  if ((wanted & TENON_METRICS_FAMILIES) != 0) {
    out->families = families();
    flat.families = memory.list<tenon_metric_family>(out->families, [&](const family &f) {
      tenon_metric_family one{};
      one.type = f.type;
      one.name = text_of(f.name);
      one.help = text_of(f.help);
      one.metrics = memory.list<tenon_metric>(f.samples, [&](const sample &s) {
        tenon_metric m{};
        m.labels = memory.pairs(s.labels);
        m.value = s.value;
        m.bucket_count = static_cast<uint32_t>(s.of.bounds.size());
        if (m.bucket_count == 0) return m;
        m.count = s.of.count;
        m.value = s.of.sum;
        m.bounds = s.of.bounds.data();
        m.at_most = s.of.at_most.data();
        return m;
      });
      return one;
    });
  }
  if ((wanted & TENON_METRICS_MODULES) != 0) {
    out->modules = modules_.counters();
    flat.modules = memory.list<tenon_module_activity>(out->modules, [&](const host::module_counters &m) {
      tenon_module_activity one{};
      one.module = text_of(m.id);
      one.version = text_of(m.version);
      one.kind = text_of(m.kind);
      one.name = text_of(m.name);
      one.last_fault = text_of(m.last_fault.empty() ? m.quarantine : m.last_fault);
      one.state = text_of(!m.quarantine.empty() ? "quarantine" : m.in_fallback ? "fallback" : "active");
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
    flat.history = memory.list<tenon_minute>(history_.all(), [](const history::minute &m) {
      return tenon_minute{0, 0, m.at_ms, m.running, m.containers};
    });
  }
  if ((wanted & TENON_METRICS_CURVE) != 0) {
    look_at_curve(std::chrono::seconds(10));
    out->curves = timeline_.all();
    put_curves(*out);
  }
  if ((wanted & TENON_METRICS_PREEMPTIONS) != 0) {
    out->preemptions = timeline_.preemptions();
    put_preemptions(*out);
  }
  if ((wanted & TENON_METRICS_SHADOWS) != 0) {
    out->shadows = modules_.shadows();
    put_shadows(*out);
  }
  if ((wanted & TENON_METRICS_WORLD_SHADOW) != 0) {
    out->world_shadow = access_.world_shadow();
    out->flat.world_shadow = text_of(out->world_shadow);
  }
  if ((wanted & TENON_METRICS_HEALTH) != 0) {
    out->health = health_.look();
    flat.healthy = out->health.healthy ? 1 : 0;
    flat.health = memory.list<tenon_health>(out->health.checks, [](const health_check &c) {
      using state = health_check::state;
      return tenon_health{0,
                          c.is == state::well ? 1U : 0U,
                          text_of(c.name),
                          text_of(c.meaning),
                          text_of(c.diagnosis),
                          c.is == state::fails ? 1U : 0U,
                          0};
    });
  }
  return out;
}

}  // namespace tenon::observe
