// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the Philly trace: jobs that train networks, by virtual cluster.
#pragma once

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

// A job of n GPUs becomes an application of n workers, a gang where n is above 1, in the queue of its virtual
// cluster. The trace knows nothing of cores and memory: a worker takes 1 GPU, 6 cores and 48 GiB. Jobs with
// more GPUs than all machines have are left out, and counted. Refused at the first line that does not parse,
// with file, line and column.
[[nodiscard]] result<load> read_philly(const trace_text &jobs, const trace_text &machines);

}  // namespace tenon::cli
