// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/jobs.hpp"

namespace tenon::cli {

void job_adder::add(const trace_job &job, const load_shape &worker, const trace_field &place) {
  if (into_.asks.size() + static_cast<uint64_t>(job.workers) > most_workers) {
    place.refuse("at most " + std::to_string(most_workers) + " workers in all jobs up to here",
                 "play a part of the trace");
  }
  const auto application = static_cast<uint32_t>(into_.applications.size());
  const uint32_t shape = shapes_.index_of(worker);
  into_.applications.push_back({job.id, job.queue, job.user, job.workers > 1});
  for (int64_t i = 0; i < job.workers; ++i) {
    into_.asks.push_back({job.id + "-" + std::to_string(i), application, shape, job.arrival_ms, job.duration_ms});
  }
}

}  // namespace tenon::cli
