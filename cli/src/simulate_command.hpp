// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// `tenon simulate`.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "load/arrivals.hpp"
#include "run/engine.hpp"
#include "run/exit_code.hpp"
#include "run/run_policies.hpp"
#include "simulate/generate.hpp"
#include "simulate/simulation.hpp"
#include "tenon/host/module_watch.hpp"
#include "trace/openb.hpp"

namespace tenon::cli {

struct simulate_options {
  // What is played: a journal, a trace, or else a generated load.
  std::string replay;  // journal file
  std::string trace;   // KIND:FILES, see trace.hpp
  generate_options generated;
  load_mode mode = load_mode::replay;
  gpu_model gpus = gpu_model::device;
  gang_style gangs = gang_style::soft;
  int64_t placeholder_timeout_s = 0;  // 0: the scheduler's own
  bool gpu_nodes_only = false;
  bool in_order = false;            // the asks arrive one after the other, in the order of the load
  std::optional<uint64_t> shuffle;  // the same, in an order that this seed draws
  std::string seeds;                // the same with each of these: FIRST..LAST; empty: not
  double inflate = 0;               // see redrawing
  std::string name_tag;             // of every ask, with its name; empty: none

  std::string config;     // queues.yaml; empty: a queue for each one of the load
  std::string node_sort;  // in place of the configuration's; empty: as configured
  std::string queue;      // of every application; empty: the load's own

  std::string record, decisions, dump, report;  // files; empty: none
  std::string beside;                           // a report whose run is drawn beside this one; empty: none
  std::string explain;                          // APPLICATION/KEY to explain at the end instead of a summary
  std::string deployment, module_path;          // as in policy_choice
  module_settings settings;                     // likewise
  bool json = false;
  bool progress = true;
};

struct quiet_simulation {
  std::string summary;  // as --json prints it
  std::vector<host::module_counters> calls;
};
// Of one run, without its progress. Warnings go to `err`.
[[nodiscard]] result<quiet_simulation> simulate_quietly(const simulate_options &options, std::ostream &err,
                                                        const engine_factory &make_engine);

exit_code run_simulate(const simulate_options &options, std::ostream &out, std::ostream &err,
                       const engine_factory &make_engine = kernel_factory());

}  // namespace tenon::cli
