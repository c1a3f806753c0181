// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Adds the jobs of a trace to a load: a job of several workers is a gang.
#pragma once

#include <string>

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

// More workers in one load are refused: each is an ask, and all of them are kept until the end.
constexpr uint64_t most_workers = 20'000'000;

struct trace_job {
  std::string id, queue, user;
  int64_t workers = 1;
  int64_t arrival_ms = 0, duration_ms = 0;
};

class job_adder {
 public:
  explicit job_adder(load &into) : into_(into), shapes_(into) {}

  // `place` is the field that gives the number of workers: where too many are refused.
  void add(const trace_job &job, const load_shape &worker, const trace_field &place);

 private:
  load &into_;
  shape_table shapes_;
};

}  // namespace tenon::cli
