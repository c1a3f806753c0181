// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/tuner.hpp"

#include <algorithm>
#include <bit>
#include <boost/json.hpp>
#include <cmath>
#include <numeric>

#include "run/processes.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

// Doubles as their bits: what comes back is what was measured.
std::string written(const trial_answer &of) {
  json::array values, unknown;
  for (const double value : of.values) values.emplace_back(std::bit_cast<uint64_t>(value));
  for (const size_t one : of.unknown) unknown.emplace_back(one);
  return json::serialize(json::array{std::move(values), std::move(unknown), of.calls});
}

trial_answer read_answer(const std::string &text) {
  const json::value all = json::parse(text);
  const json::array &parts = all.as_array();
  trial_answer out;
  for (const json::value &value : parts.at(0).as_array())
    out.values.push_back(std::bit_cast<double>(value.to_number<uint64_t>()));
  for (const json::value &one : parts.at(1).as_array()) out.unknown.push_back(one.to_number<size_t>());
  out.calls = parts.at(2).to_number<uint64_t>();
  return out;
}

std::vector<bool> low_of(const std::vector<measure_words> &measures) {
  std::vector<bool> out;
  for (const measure_words &one : measures) out.push_back(one.better_low);
  return out;
}

}  // namespace

const front_point *tune_outcome::found() const {
  const auto first = std::find_if(front.begin(), front.end(), [](const front_point &one) { return one.better; });
  return first == front.end() ? nullptr : &*first;
}

tuner::tuner(const trials &on, const tune_plan &plan)
    : on_(on), plan_(plan), measures_(on.measures()), by_(low_of(measures_)) {
  out_.tried.emplace_back();
  for (size_t point = 0; point < plan.space->size(); ++point)
    if (!plan.space->is_usual(point)) out_.tried.emplace_back().point = point;
}

module_settings tuner::settings_of(const tried_point &of) const {
  if (!of.point) return {};
  return {{plan_.module, plan_.space->configuration_of(*of.point)}};
}

std::optional<refusal> tuner::play_missing(const std::vector<size_t> &tried, load_part part) {
  const std::vector<std::string> names = on_.runs_of(part);
  std::vector<process_run> runs;
  std::vector<std::pair<size_t, std::string>> keys;
  for (const size_t one : tried) {
    for (size_t run = 0; run < names.size(); ++run) {
      if (played_.contains({one, names[run]})) continue;
      keys.emplace_back(one, names[run]);
      runs.push_back({names[run], [this, one, part, run]() -> result<std::string> {
                        const auto said = on_.play(part, run, plan_.module, settings_of(out_.tried[one]));
                        if (!said) return said.why();
                        return written(*said);
                      }});
    }
  }
  const size_t before = out_.runs;
  out_.runs += runs.size();
  process_plan how{plan_.at_once, "--jobs", {}};
  if (plan_.listen) how.listen = [&](size_t ended) { plan_.listen(before + ended, out_.runs); };
  const auto answers = run_in_processes(runs, how);
  if (!answers) return answers.why();
  for (size_t i = 0; i < keys.size(); ++i) played_.emplace(keys[i], read_answer((*answers)[i]));
  return std::nullopt;
}

// The mean over the runs of a part.
std::optional<refusal> tuner::evaluate(const std::vector<size_t> &tried, load_part part,
                                       std::vector<measured_point> &into) {
  if (auto why = play_missing(tried, part)) return why;
  const std::vector<std::string> names = on_.runs_of(part);
  for (const size_t one : tried) {
    measured_point mean(measures_.size(), 0);
    for (const std::string &name : names) {
      const measured_point &of = played_.at({one, name}).values;
      for (size_t i = 0; i < mean.size(); ++i) mean[i] += of[i];
    }
    for (double &value : mean) value /= static_cast<double>(names.size());
    into.push_back(std::move(mean));
  }
  return std::nullopt;
}

// By the runs of the usual configuration on both halves.
std::optional<refusal> tuner::check_usual() const {
  uint64_t calls = 0;
  std::vector<bool> known(measures_.size(), false);
  for (const auto &[of, said] : played_) {
    calls += said.calls;
    for (size_t i = 0; i < known.size(); ++i)
      if (std::find(said.unknown.begin(), said.unknown.end(), i) == said.unknown.end()) known[i] = true;
  }
  if (calls == 0) {
    return refusal{"--module", "a module that decides on this load", plan_.module + " was not asked",
                   "name its policy: --node-sort NAME, or a configuration with --config"};
  }
  const auto unknown = std::find(known.begin(), known.end(), false);
  if (unknown == known.end()) return std::nullopt;
  return refusal{"--measure", "a queue or resource type that the load has",
                 "'" + measures_[static_cast<size_t>(unknown - known.begin())].name + "'",
                 "tenon diff says which there are"};
}

std::optional<refusal> tuner::search() {
  std::vector<size_t> left(out_.tried.size());
  std::iota(left.begin(), left.end(), size_t{0});
  unsigned halved = plan_.halving ? on_.most_halved() : 0;
  for (;; --halved) {
    std::vector<measured_point> said;
    if (auto why = evaluate(left, {.reported = false, .halved = halved}, said)) return why;
    for (size_t i = 0; i < left.size(); ++i) {
      out_.tried[left[i]].tuned = said[i];
      out_.tried[left[i]].halved = halved;
    }
    if (halved == 0) return std::nullopt;
    // The better half goes on, and the usual configuration, which others are held against.
    const std::vector<size_t> best = ranked(said, by_);
    std::vector<size_t> next;
    for (size_t i = 0; i < (best.size() + 1) / 2; ++i) next.push_back(left[best[i]]);
    if (std::find(next.begin(), next.end(), size_t{0}) == next.end()) next.push_back(0);
    std::sort(next.begin(), next.end());
    left = std::move(next);
  }
}

std::optional<refusal> tuner::report_front() {
  std::vector<size_t> whole;  // that were played on all that is tuned on
  std::vector<measured_point> tuned;
  for (size_t i = 0; i < out_.tried.size(); ++i) {
    if (out_.tried[i].halved > 0) continue;
    whole.push_back(i);
    tuned.push_back(out_.tried[i].tuned);
  }
  std::vector<size_t> layers, front;
  const auto equal = [&](const measured_point &a, const measured_point &b) {
    for (size_t i = 0; i < a.size(); ++i)
      if (by_.is_better(i, a[i], b[i]) || by_.is_better(i, b[i], a[i])) return false;
    return true;
  };
  for (const size_t one : ranked(tuned, by_, &layers)) {
    if (layers[one] > 0) break;
    if (!out_.front.empty() && equal(out_.tried[out_.front.back().tried].tuned, tuned[one])) {
      out_.front.back().as_good.push_back(whole[one]);
    } else {
      out_.front.push_back({whole[one], {}, {}, false});
      front.push_back(whole[one]);
    }
  }
  std::vector<measured_point> reported;
  if (auto why = evaluate(front, {.reported = true}, reported)) return why;
  for (size_t i = 0; i < front.size(); ++i) {
    out_.front[i].better = by_.dominates(reported[i], out_.usual_reported);
    out_.front[i].reported = std::move(reported[i]);
  }
  return std::nullopt;
}

result<tune_outcome> tuner::run() {
  std::vector<measured_point> usual;
  if (auto why = evaluate({0}, {}, usual)) return *why;
  if (auto why = evaluate({0}, {.reported = true}, usual)) return *why;
  if (auto why = check_usual()) return *why;
  out_.usual_reported = usual.back();
  if (auto why = search()) return *why;
  if (auto why = report_front()) return *why;
  return std::move(out_);
}

}  // namespace tenon::cli
