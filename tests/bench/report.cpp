// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>

namespace tenon::bench {

std::map<std::string, spread> summarise(const std::vector<figures> &repetitions) {
  std::map<std::string, std::vector<double>> by_name;
  for (const figures &one : repetitions) {
    for (const auto &[name, value] : one) by_name[name].push_back(value);
  }
  std::map<std::string, spread> out;
  for (auto &[name, values] : by_name) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    const double median = values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    out[name] = {median, values.front(), values.back()};
  }
  return out;
}

double percentile(std::vector<uint32_t> &samples, double percent) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double at = percent / 100 * static_cast<double>(samples.size() - 1);
  return samples[static_cast<size_t>(std::llround(at))];
}

std::string as_json(const report &r) {
  boost::json::object out;
  out["case"] = r.name;
  out["policies"] = r.policies;
  out["repetitions"] = r.repetitions.size();
  out["calibration_ns"] = r.calibration_ns;
  for (const auto &[name, value] : r.settings) out[name] = value;
  for (const auto &[name, s] : summarise(r.repetitions)) {
    out[name] = s.median;
    out[name + "_low"] = s.low;
    out[name + "_high"] = s.high;
  }
  return boost::json::serialize(out);
}

std::string as_text(const report &r) {
  std::string out = r.name;
  for (const auto &[name, value] : r.settings) out += "  " + name + " " + std::to_string(value);
  out += "  policies " + r.policies + "  repetitions " + std::to_string(r.repetitions.size()) + "\n";
  char line[160];
  for (const auto &[name, s] : summarise(r.repetitions)) {
    std::snprintf(line, sizeof line, "  %-34s %14.1f   (%.1f to %.1f)\n", name.c_str(), s.median, s.low, s.high);
    out += line;
  }
  std::snprintf(line, sizeof line, "  %-34s %14.2f\n", "calibration_ns", r.calibration_ns);
  return out + line;
}

}  // namespace tenon::bench
