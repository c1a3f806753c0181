// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the Standard Workload Format of the Parallel Workloads Archive.
#pragma once

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

// A job of n processors becomes an application of n workers of one core, in the queue root.q<number>. It is a gang
// where n is above 1. The nodes are those of `machines`. Without a list (empty file name) the header says them:
// MaxNodes nodes that share MaxProcs processors. Nothing is known about memory then, and none is asked for.
// Left out, and counted, are
// - jobs without run time or number of processors;
// - jobs that were cancelled before they ran;
// - jobs that are larger than all nodes.
// Refused at the first line that does not parse, with file, line and column.
[[nodiscard]] result<load> read_swf(const trace_text &jobs, const trace_text &machines);

}  // namespace tenon::cli
