// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which trace is played: the value of --trace.
#pragma once

#include <array>
#include <string_view>

#include "load/load.hpp"
#include "tenon/kernel/refusal.hpp"
#include "trace/openb.hpp"

namespace tenon::cli {

// How the value begins.
inline constexpr std::array<std::string_view, 3> trace_kinds = {"openb:", "philly:", "swf:"};
// What --trace may be, for help and refusals.
constexpr std::string_view trace_forms =
    "openb:NODES.csv,PODS.csv, philly:JOBS.csv,MACHINES.csv, swf:FILE or swf:FILE,MACHINES.csv";

// Reads the files that `spec`, KIND:FILES, names. `gpus` is of use to openb alone.
[[nodiscard]] result<load> read_trace(std::string_view spec, gpu_model gpus);

}  // namespace tenon::cli
