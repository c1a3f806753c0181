// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What records of events cost: the cycle thread for each decision, and the threads behind it for each record.
#include <ctime>
#include <filesystem>
#include <stdexcept>

#include "cases.hpp"
#include "counted.hpp"
#include "tenon/events/event_hub.hpp"

namespace tenon::bench {
namespace {

using namespace std::chrono_literals;

double thread_nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// A deployment with one sink; nothing without a module.
struct sink_of {
  std::unique_ptr<host::module_host> host;
  std::unique_ptr<events::event_hub> hub;

  sink_of(const std::string &use, events::hub_options options) {
    std::vector<host::listed_module> listed;
    if (!use.empty()) {
      config::problems report("bench");
      auto plan = host::parse_deployment("apiVersion: tenon/v1\nevents: [" + use + "]\n", "bench", report);
      if (!plan) throw std::runtime_error(report.refusals().front().text());
      auto opened = host::open_host(std::move(*plan));
      if (!opened) throw std::runtime_error(opened.why().text());
      host = std::move(*opened);
      auto sinks = host->event_sinks();
      if (!sinks) throw std::runtime_error(sinks.why().text());
      listed = std::move(*sinks);
    }
    auto made = events::event_hub::start(std::move(listed), std::move(options));
    if (!made) throw std::runtime_error(made.why().text());
    hub = std::move(*made);
  }
};

// The cycle thread's own time for each decision, whoever else runs meanwhile.
double cycle_ns(const settings &s, fact_listener *listener, figures &counts) {
  const auto policies = make_policies(s);
  cluster c(*policies, s);
  const int64_t per_node = (s.asks + s.nodes - 1) / s.nodes;
  c.add_nodes(s.nodes, {{"vcore", per_node * 1000}, {"memory", per_node * 10 * mib}});
  c.add_applications();
  c.ask(ask_keys(s.asks, "ask-0000"), {{"vcore", 1000}, {"memory", 10 * mib}});
  c.scheduler().set_fact_listener(listener);
  counted deciding("decide");
  const double before = thread_nanoseconds();
  c.schedule();
  deciding.done(counts, static_cast<double>(c.allocated()));
  return (thread_nanoseconds() - before) / static_cast<double>(c.allocated());
}

// Records a second through the event thread and the sink, none lost.
double records_per_second(const settings &s, const std::string &use) {
  events::hub_options options;
  options.input_bytes = size_t{1} << 29;
  options.sink_records = 100'000'000;
  sink_of to(use, options);
  const int64_t count = s.asks * 4;
  const stopwatch watch;
  for (int64_t i = 0; i < count; ++i) {
    const std::string key = "ask-" + std::to_string(i);
    fact what;
    what.kind = fact_kind::reserved;  // one record
    what.now_ms = i;
    what.partition = "[rm]default";
    what.application = "application-1";
    what.queue = "root.default";
    what.node = "node-00001";
    what.key = key;
    to.hub->listener().take(what);
  }
  if (!to.hub->flush(10min)) throw std::runtime_error("the sink did not keep up");
  const double seconds = watch.seconds();
  if (to.hub->counters().lost != 0) throw std::runtime_error("records were lost");
  return static_cast<double>(count) / seconds;
}

// Hears everything and keeps nothing, on the thread that decides: what telling costs, without what is made of it.
class deaf_listener final : public fact_listener {
 public:
  void take(const fact &what) override { heard_ += static_cast<uint64_t>(what.kind); }

 private:
  uint64_t heard_ = 0;
};

}  // namespace

figures run_events(const settings &s) {
  figures out;
  if (counting()) {
    deaf_listener listener;
    (void)cycle_ns(s, &listener, out);
    return out;
  }
  out["cycle_ns_without"] = cycle_ns(s, nullptr, out);
  const auto with = [&](const std::string &use, size_t bytes) {
    events::hub_options options;
    options.input_bytes = bytes;
    sink_of to(use, options);
    const double ns = cycle_ns(s, &to.hub->listener(), out);
    (void)to.hub->flush(10min);
    return ns;
  };
  out["cycle_ns_with_ring"] = with("{ use: tenon.ring }", size_t{16} << 20);
  out["cycle_ns_all_lost"] = with("", 1);  // the smallest ring of bytes: most of it is counted, and lost
  const auto folder = std::filesystem::temp_directory_path() / "tenon-bench-events";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder.string();
  out["records_per_second_no_sink"] = records_per_second(s, "");
  out["records_per_second_ring"] = records_per_second(s, "{ use: tenon.ring }");
  out["records_per_second_log"] = records_per_second(s, "{ use: tenon.log, config: { path: " + path + "/e.jsonl } }");
  try {
    out["records_per_second_sqlite"] =
        records_per_second(s, "{ use: tenon.sqlite, config: { path: " + path + "/e.db, retention: '0' } }");
  } catch (const std::runtime_error &) {
    out["records_per_second_sqlite"] = 0;  // built without it
  }
  std::filesystem::remove_all(folder);
  return out;
}

}  // namespace tenon::bench
