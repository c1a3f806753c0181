// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/seeds.hpp"

#include <fmt/ostream.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <ostream>
#include <utility>

#include "run/processes.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

constexpr uint64_t most_seeds = 1000;

struct moments {
  double mean = 0, deviation = 0, least = 0, most = 0;
};

moments moments_of(const std::vector<double> &values) {
  moments out;
  if (values.empty()) return out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  out.least = *std::min_element(values.begin(), values.end());
  out.most = *std::max_element(values.begin(), values.end());
  return out;
}

std::vector<json::object> parsed(const std::vector<std::string> &summaries) {
  std::vector<json::object> out;
  for (const std::string &summary : summaries) out.push_back(json::parse(summary).as_object());
  return out;
}

// A point of the curve, of all seeds; nothing beyond the shortest of them.
std::vector<double> point(const std::vector<json::object> &runs, size_t percent) {
  std::vector<double> out;
  for (const json::object &run : runs) out.push_back(run.at("allocation").as_array().at(percent).to_number<double>());
  return out;
}

size_t points(const std::vector<json::object> &runs) {
  size_t out = SIZE_MAX;
  for (const json::object &run : runs) {
    const json::value *curve = run.if_contains("allocation");
    out = std::min(out, curve == nullptr ? 0 : curve->as_array().size());
  }
  return runs.empty() ? 0 : out;
}

std::vector<double> figures(const std::vector<json::object> &runs, const char *key) {
  std::vector<double> out;
  for (const json::object &run : runs) out.push_back(run.at(key).to_number<double>());
  return out;
}

json::object object_of(const moments &of) {
  return {{"mean", of.mean}, {"deviation", of.deviation}, {"least", of.least}, {"most", of.most}};
}

}  // namespace

result<std::vector<uint64_t>> parse_seeds(std::string_view text, const std::string &where) {
  const auto number = [](std::string_view digits, uint64_t &to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const size_t dots = text.find("..");
  uint64_t first = 0, last = 0;
  const bool is_number = number(text.substr(0, dots), first);
  last = first;
  const bool is_range = dots == std::string_view::npos || number(text.substr(dots + 2), last);
  if (!is_number || !is_range || last < first || last - first >= most_seeds) {
    return refusal{where, "a seed, or FIRST..LAST with at most " + std::to_string(most_seeds) + " seeds",
                   "'" + std::string(text) + "'", "write 42..51"};
  }
  std::vector<uint64_t> out;
  for (uint64_t seed = first; out.size() <= last - first; ++seed) out.push_back(seed);
  return out;
}

result<std::vector<std::string>> play_seeds(const std::vector<uint64_t> &seeds, const seeded_run &play) {
  std::vector<process_run> runs;
  for (const uint64_t seed : seeds)
    runs.push_back({"seed " + std::to_string(seed), [&play, seed] { return play(seed); }});
  return run_in_processes(runs, {.where = "--seeds"});
}

void print_seeds(std::ostream &out, const std::vector<uint64_t> &seeds, const std::vector<std::string> &summaries) {
  const std::vector<json::object> runs = parsed(summaries);
  const size_t count = points(runs);
  out << std::string(runs.front().at("origin").as_string()) << ": seeds " << seeds.front() << " to " << seeds.back()
      << "\n\n                             mean  deviation     least      most\n";
  const auto row = [&](const std::string &name, const moments &of, const char *unit) {
    fmt::print(out, "{:24} {:8.2f}{} {:9.2f}{} {:8.2f}{} {:8.2f}{}\n", name, of.mean, unit, of.deviation, unit,
               of.least, unit, of.most, unit);
  };
  row("placed", moments_of(figures(runs, "placed")), " ");
  row("pending", moments_of(figures(runs, "pending")), " ");
  row("GPUs placed", moments_of(figures(runs, "gpus_placed")), " ");
  for (const size_t percent : {size_t{50}, size_t{90}, size_t{100}, size_t{110}, size_t{120}, size_t{130}}) {
    if (percent >= count) continue;
    std::vector<double> values = point(runs, percent);
    for (double &value : values) value *= 100;
    row("GPUs placed of " + std::to_string(percent) + "%", moments_of(values), "%");
  }
}

std::string seeds_to_json(const std::vector<uint64_t> &seeds, const std::vector<std::string> &summaries) {
  const std::vector<json::object> runs = parsed(summaries);
  json::object mean_and_spread;
  for (const char *key : {"placed", "pending", "gpus_placed", "scheduling_seconds"}) {
    mean_and_spread[key] = object_of(moments_of(figures(runs, key)));
  }
  json::array allocation;
  for (size_t percent = 0; percent < points(runs); ++percent) {
    allocation.push_back(object_of(moments_of(point(runs, percent))));
  }
  mean_and_spread["allocation"] = std::move(allocation);
  json::array each;
  for (size_t i = 0; i < runs.size(); ++i) {
    json::object run = runs[i];
    run["seed"] = seeds[i];
    each.push_back(std::move(run));
  }
  return json::serialize(json::object{{"of_seeds", std::move(mean_and_spread)}, {"runs", std::move(each)}});
}

}  // namespace tenon::cli
