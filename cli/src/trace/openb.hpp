// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reads the openb trace: a list of nodes and a list of pods, as CSV files with a header line.
#pragma once

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

// What nodes have of GPUs.
enum class gpu_model : uint8_t {
  device,  // one by one: a share needs one GPU with so much left
  sum,     // the sum of them, whether or not one has room for a share
};

// A pod becomes an application with one ask, in a queue by its qos class. Amounts: vcore in milli-cores,
// memory in bytes, gpu in thousandths. A model that a pod is bound to is its tag si/gpu-model ("A|B": any of
// them) and an attribute of the node. Refused at the first line that does not parse, with file, line and
// column.
[[nodiscard]] result<load> read_openb(const trace_text &nodes, const trace_text &pods, gpu_model gpus);

}  // namespace tenon::cli
