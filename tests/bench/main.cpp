// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// tenon-bench: how fast the kernel decides, in process, with the policies that a deployment uses.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "cases.hpp"

namespace {

using tenon::bench::figures;
using tenon::bench::settings;

struct bench_case {
  const char *name;
  const char *what;
  std::function<figures(const settings &)> run;
  settings defaults;
};

std::vector<bench_case> cases() {
  settings schedule, queues, mixed, unplaceable, churn, steady, waiting, gang, load, start, flat, preempt, snapshot,
      openb, inproc, grpc, rest, growth;
  queues.queues = 1'000;
  queues.applications = 10;
  mixed.shapes = 100;
  mixed.node_sort = "binpacking";
  unplaceable.unplaceable = 10'000;
  steady.nodes = 10'000;
  steady.asks = 300'000;
  steady.shapes = 1'000;
  steady.queues = 200;
  waiting.nodes = 10'000;
  waiting.asks = 300'000;
  waiting.shapes = 5'000;
  waiting.queues = 200;
  gang.applications = 250;
  preempt.nodes = 10'000;
  inproc.asks = 200'000;
  grpc.asks = 300'000;
  rest.nodes = 10'000;
  rest.asks = 100'000;
  rest.seconds = 10;
  rest.applications = 100;
  snapshot.nodes = 10'000;
  snapshot.asks = 300'000;
  snapshot.applications = 100;
  flat.queues = 50'000;
  start.nodes = 10'000;
  start.asks = 300'000;
  start.applications = 100;
  growth.asks = 1'000;
  growth.turns = 50;
  load.nodes = 100'000;
  load.asks = 1'000'000;
  return {
      {"schedule", "equal asks in 2 queues, from submission to every decision delivered", tenon::bench::run_schedule,
       schedule},
      {"queues", "the same in many queues of many applications", tenon::bench::run_schedule, queues},
      {"mixed", "asks of many shapes while the cluster fills up", tenon::bench::run_mixed, mixed},
      {"unplaceable", "asks that fit nowhere beside the load of schedule", tenon::bench::run_unplaceable, unplaceable},
      {"churn", "steady state: an allocation ends, an ask comes, a decision is made", tenon::bench::run_churn, churn},
      {"steady", "a cluster that is 95 % full of many shapes: an allocation ends, one of its shape comes",
       tenon::bench::run_steady, steady},
      {"waiting", "a release in a full cluster in which asks of many shapes wait", tenon::bench::run_waiting, waiting},
      {"gang", "placeholders of gangs, then asks that take their places", tenon::bench::run_gang, gang},
      {"load", "nodes and asks registered: time and memory", tenon::bench::run_load, load},
      {"start", "nodes told again by their resource manager, with what is allocated on them", tenon::bench::run_start,
       start},
      {"configure", "flat queues with a limited user each: registered, used, and one of them changed",
       tenon::bench::run_configure, flat},
      {"read-config", "the text of such queues, read and checked", tenon::bench::run_read_config, flat},
      {"preempt", "a queue below its guarantee in a full cluster, 30 allocations a node", tenon::bench::run_preempt,
       preempt},
      {"growth", "one operation (--operation) beside a load of --asks, --turns times", tenon::bench::run_growth,
       growth},
      {"events", "the load of schedule with records of events, and each sink alone", tenon::bench::run_events,
       schedule},
      {"snapshot", "the state as plain values, part by part, of a full cluster", tenon::bench::run_snapshot, snapshot},
      {"copy", "a copy of such a cluster for another thread, and a what-if question on it", tenon::bench::run_copy,
       snapshot},
      {"readers", "readers who come again and again to a full and busy cluster", tenon::bench::run_readers, snapshot},
      {"openb", "the openb trace submitted at once (--trace NODES.csv,PODS.csv)", tenon::bench::run_openb, openb},
      {"inproc", "resource managers in this process by libtenon, from submission to callback", tenon::bench::run_inproc,
       inproc},
      {"grpc", "resource managers over gRPC on TCP, from request to answer", tenon::bench::run_grpc, grpc},
      {"grpc-uds", "the same on a Unix socket", tenon::bench::run_grpc_uds, grpc},
      {"rest", "allocations with and without a client that reads everything over HTTP", tenon::bench::run_rest, rest},
  };
}

}  // namespace

int main(int argc, char **argv) {
  CLI::App app{"How fast the kernel decides. Medians over repetitions, with the least and the greatest.",
               "tenon-bench"};
  app.require_subcommand(1);
  const std::vector<bench_case> all = cases();
  std::vector<settings> chosen;
  chosen.reserve(all.size());
  int repetitions = 5;
  bool json = false;
  for (const bench_case &c : all) {
    settings &s = chosen.emplace_back(c.defaults);
    CLI::App *sub = app.add_subcommand(c.name, c.what);
    sub->add_option("--nodes", s.nodes)->check(CLI::PositiveNumber)->capture_default_str();
    sub->add_option("--asks", s.asks)->check(CLI::PositiveNumber)->capture_default_str();
    sub->add_option("--queues", s.queues)->check(CLI::PositiveNumber)->capture_default_str();
    sub->add_option("--applications", s.applications, "of each queue")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--shapes", s.shapes)->check(CLI::PositiveNumber)->capture_default_str();
    sub->add_option("--unplaceable", s.unplaceable)->capture_default_str();
    sub->add_option("--seconds", s.seconds, "of churn, steady and waiting, and of each turn of rest")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--turns", s.turns, "of churn, steady and waiting while tests/cost counts them")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--batch", s.batch, "requests submitted at once")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--streams", s.streams, "inproc: threads that submit; grpc: resource managers")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    sub->add_option("--rate", s.rate, "grpc: allocations a second while answers are timed; 0: half of the greatest")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    sub->add_flag("--real-time", s.real_time, "grpc: scheduler and resource managers in real-time priority");
    sub->add_option("--queue-sort", s.queue_sort)->capture_default_str();
    sub->add_option("--app-sort", s.app_sort)->capture_default_str();
    sub->add_option("--node-sort", s.node_sort)->capture_default_str();
    sub->add_option("--trace", s.trace);
    sub->add_option("--operation", s.operation, "of growth")->check(CLI::IsMember(tenon::bench::growing_operations()));
    sub->add_flag("--devices", s.devices, "schedule, mixed: asks share GPUs; openb: GPUs one by one, not their sum");
    sub->add_flag("--linked-policies", s.linked_policies, "policies linked in instead of modules from their files");
    sub->add_option("--isolate", s.isolated, "ids of modules that are held in processes of their own");
    sub->add_option("--repetitions", repetitions)->check(CLI::PositiveNumber)->capture_default_str();
    sub->add_flag("--json", json);
  }
  CLI11_PARSE(app, argc, argv);
  try {
    for (size_t i = 0; i < all.size(); ++i) {
      if (!app.got_subcommand(all[i].name)) continue;
      const settings &s = chosen[i];
      tenon::bench::report r;
      r.name = all[i].name;
      r.settings = {{"nodes", s.nodes}, {"asks", s.asks}, {"queues", s.queues}, {"applications", s.applications}};
      if (std::string_view(all[i].name) == "inproc" || std::string_view(all[i].name).starts_with("grpc")) {
        r.settings["batch"] = s.batch;
        r.settings["streams"] = s.streams;
        r.settings["real_time"] = s.real_time ? 1 : 0;
      }
      r.policies = s.linked_policies ? "linked" : "modules";
      r.calibration_ns = tenon::bench::calibrate();
      for (int n = 0; n < repetitions; ++n) r.repetitions.push_back(all[i].run(s));
      std::puts(json ? as_json(r).c_str() : as_text(r).c_str());
    }
  } catch (const std::exception &e) {
    std::fprintf(stderr, "tenon-bench: %s\n", e.what());
    return 2;
  }
  return 0;
}
