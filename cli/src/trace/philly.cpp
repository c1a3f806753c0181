// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "trace/philly.hpp"

#include <algorithm>
#include <string>

#include "trace/jobs.hpp"
#include "trace/machines.hpp"
#include "trace/trace_csv.hpp"

namespace tenon::cli {
namespace {

constexpr int64_t most_job_gpus = 1'000'000;

// What one GPU of a job takes with it.
load_shape worker() { return {{{"gpu", gpu_whole}, {"vcore", 6000}, {"memory", 48 * gib}}, {}}; }

int64_t gpus_of(const load &of) {
  int64_t sum = 0;
  for (const load_node &node : of.nodes) {
    const auto found = node.capacity.find("gpu");
    if (found != node.capacity.end()) sum += found->second / gpu_whole;
  }
  return sum;
}

}  // namespace

result<load> read_philly(const trace_text &jobs, const trace_text &machines) {
  constexpr auto columns = std::to_array<std::string_view>({"timestamp", "duration", "num_gpus", "cluster"});
  load out;
  out.origin = "philly trace " + jobs.file + ", " + machines.file + ", workers of 1 GPU, 6 cores, 48 GiB";
  if (const auto why = read_machines(machines, out)) return *why;
  const int64_t capacity = gpus_of(out);
  const load_shape shape = worker();
  job_adder adder(out);
  uint64_t row_number = 0, too_large = 0;
  int64_t first_ms = INT64_MAX;
  const auto take = [&](const auto &row) {
    const auto &[submitted, duration, gpus, cluster] = row;
    trace_job job;
    job.id = "job-" + std::to_string(++row_number);
    job.arrival_ms = submitted.timestamp_ms();
    job.duration_ms = duration.seconds_as_ms();
    job.workers = gpus.whole(1, most_job_gpus);
    const std::string name = cluster.queue_name();
    job.queue = "root." + name;
    job.user = "vc-" + name;
    first_ms = std::min(first_ms, job.arrival_ms);
    if (job.workers > capacity) {
      ++too_large;
    } else {
      adder.add(job, shape, gpus);
    }
  };
  if (const auto why = read_table(jobs, columns, take)) return *why;
  for (load_ask &ask : out.asks) ask.arrival_ms -= first_ms;
  if (!out.asks.empty()) out.begins_ms = first_ms;
  if (too_large > 0) out.left_out_jobs.push_back({"more GPUs than all machines have", too_large});
  return out;
}

}  // namespace tenon::cli
