// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Figures of a benchmark: medians over repetitions with their spread, for people and as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon::bench {

// One repetition: figures by name. Names end in their unit: _per_second, _ms, _ns, _bytes.
using figures = std::map<std::string, double>;

struct spread {
  double median = 0, low = 0, high = 0;  // low and high are the least and the greatest
};

[[nodiscard]] std::map<std::string, spread> summarise(const std::vector<figures> &repetitions);

// The given percentile (0 to 100) of the samples, which are sorted by the call; 0 without samples.
[[nodiscard]] double percentile(std::vector<uint32_t> &samples, double percent);

struct report {
  std::string name;                         // of the case
  std::map<std::string, int64_t> settings;  // nodes, asks, ...
  std::vector<figures> repetitions;
  double calibration_ns = 0;  // of one turn of the calibration loop on this machine
  std::string policies;       // "modules" or "static"
};

[[nodiscard]] std::string as_json(const report &r);
[[nodiscard]] std::string as_text(const report &r);

// Nanoseconds of one turn of a fixed loop of dependent loads, compares and stores in 1 MiB: the unit in which
// figures of different machines can be compared.
[[nodiscard]] double calibrate();

}  // namespace tenon::bench
