// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/job_figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "run/formats.hpp"

namespace tenon::cli {
namespace {

constexpr size_t most_points = 200;

// What is known of one job at the end of the run, in seconds.
struct outcome_of_job {
  measured wait, completion;
  std::optional<measured> slowdown;  // nothing: nobody knows how long it runs
};

double seconds_between(int64_t from_ms, int64_t to_ms) {
  return static_cast<double>(std::max<int64_t>(to_ms - from_ms, 0)) / 1000.0;
}

outcome_of_job outcome_of(const job &one, int64_t end_ms) {
  const bool started = one.started_ms >= 0, ended = one.ended_ms >= 0;
  outcome_of_job out;
  out.wait = {seconds_between(one.arrival_ms, started ? one.started_ms : end_ms), started};
  out.completion = {seconds_between(one.arrival_ms, ended ? one.ended_ms : end_ms), ended};
  if (!ended && one.lasts_ms < 0) return out;
  const double runs =
      ended ? seconds_between(one.started_ms, one.ended_ms) : static_cast<double>(one.lasts_ms) / 1000.0;
  // A job that runs will end when it was said to; one that waits goes on waiting.
  const double ratio = (out.wait.value + runs) / std::max(runs, slowdown_bound_s);
  out.slowdown = {std::max(ratio, 1.0), started};
  return out;
}

cumulative curve_of(const std::vector<measured> &all) {
  std::vector<double> over;
  for (const measured &m : all) {
    if (m.over) over.push_back(m.value);
  }
  std::sort(over.begin(), over.end());
  cumulative out;
  const size_t points = std::min(over.size(), most_points);
  for (size_t i = 1; i <= points; ++i) {
    const size_t rank = over.size() * i / points;
    out.values.push_back(over[rank - 1]);
    out.parts.push_back(static_cast<double>(rank) / static_cast<double>(all.size()));
  }
  return out;
}

// Values of a group while they are gathered.
struct gathered {
  uint64_t jobs = 0;
  double used = 0;
  std::vector<measured> wait, completion, slowdown;

  void add(const outcome_of_job &o, double of_main_type) {
    ++jobs;
    used += of_main_type;
    wait.push_back(o.wait);
    completion.push_back(o.completion);
    if (o.slowdown) slowdown.push_back(*o.slowdown);
  }
  [[nodiscard]] job_group group(std::string name) && {
    return {std::move(name), jobs, used, spread_of(std::move(wait)), spread_of(std::move(slowdown))};
  }
};

// Sizes in steps of a factor of two. Cores and GPUs are counted in thousandths, memory in bytes.
struct size_steps {
  static constexpr int nothing = -100;
  std::string type;

  [[nodiscard]] double unit() const {
    return type == "memory" ? 1024.0 * 1024 * 1024 : type == "vcore" || type == "gpu" ? 1000 : 1;
  }
  // The job takes at most so many doublings of the unit, and more than one less.
  [[nodiscard]] int step_of(double amount) const {
    return amount <= 0 ? nothing : static_cast<int>(std::ceil(std::log2(amount / unit()) - 1e-9));
  }
  [[nodiscard]] std::string name_of(int step) const {
    if (step == nothing) return "none";
    return "over " + decimal(std::exp2(step - 1), 4) + " to " + decimal(std::exp2(step), 4) +
           (type == "memory" ? " GiB" : "");
  }
};

}  // namespace

job_figures figure_jobs(const ledger &names, uint32_t type, int64_t end_ms) {
  job_figures out;
  gathered all;
  std::map<int, gathered> by_size;
  std::map<uint32_t, gathered> by_user;
  const size_steps steps{names.types()[type]};
  for (const job &one : names.jobs()) {
    const outcome_of_job o = outcome_of(one, end_ms);
    double amount = 0;
    for (const auto &[known, of_it] : one.amounts) {
      if (known == type) amount = static_cast<double>(of_it);
    }
    const double ran =
        one.started_ms < 0 ? 0 : seconds_between(one.started_ms, one.ended_ms < 0 ? end_ms : one.ended_ms);
    ++out.jobs;
    out.never_started += one.started_ms < 0 ? 1 : 0;
    all.add(o, amount * ran);
    by_size[steps.step_of(amount)].add(o, amount * ran);
    by_user[one.user].add(o, amount * ran);
  }
  out.wait_curve = curve_of(all.wait);
  out.completion_curve = curve_of(all.completion);
  out.slowdown_curve = curve_of(all.slowdown);
  out.wait = spread_of(std::move(all.wait));
  out.completion = spread_of(std::move(all.completion));
  out.slowdown = spread_of(std::move(all.slowdown));
  for (auto &[step, group] : by_size) out.sizes.push_back(std::move(group).group(steps.name_of(step)));
  for (auto &[user, group] : by_user) out.users.push_back(std::move(group).group(names.users()[user]));
  std::stable_sort(out.users.begin(), out.users.end(), [](const job_group &a, const job_group &b) {
    return std::pair(a.used, a.jobs) > std::pair(b.used, b.jobs);
  });
  return out;
}

}  // namespace tenon::cli
