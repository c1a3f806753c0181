// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Lists of machines: the nodes of a trace.
#pragma once

#include <optional>

#include "load/load.hpp"
#include "trace/trace_field.hpp"

namespace tenon::cli {

constexpr int64_t mib = int64_t{1} << 20;
constexpr int64_t gib = int64_t{1} << 30;
// One whole GPU.
constexpr int64_t gpu_whole = 1000;
// Node attribute, and tag of asks that are bound to a model.
constexpr std::string_view gpu_model_key = "si/gpu-model";

// Adds a node for each row. Three forms are told apart by their headers:
//   openb   sn, cpu_milli, memory_mib, gpu, model
//   pai     machine, gpu_type, cap_cpu, cap_mem, cap_gpu: cores, GiB
//   google  node, cpu_norm, mem_norm: parts of 64 cores and 256 GiB
// Refused at the first row that does not parse. A list without rows is refused, too.
[[nodiscard]] std::optional<refusal> read_machines(const trace_text &in, load &into);

}  // namespace tenon::cli
