// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the Standard Workload Format of the Parallel Workloads Archive.
#pragma once

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

// A job of n processors becomes an application of n workers of one core, a gang where n is above 1, in the
// queue root.q<number>. The nodes are those of `machines`, or without a list (empty file name) what the header
// says: MaxNodes nodes that share MaxProcs processors; then nothing is known about memory, and none is
// asked for. Left out, and counted: jobs without run time or number of processors, those cancelled before they
// ran, and those larger than all nodes. Refused at the first line that does not parse, with file, line and
// column.
[[nodiscard]] result<load> read_swf(const trace_text &jobs, const trace_text &machines);

}  // namespace tenon::cli
