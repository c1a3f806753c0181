// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/journal_trials.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "run/formats.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::cli {
namespace {

// What a load says of itself, whoever plays it.
class load_survey {
 public:
  explicit load_survey(const recorded_load &what) : counted_(&kept_) {
    int64_t now_ms = what.first_ms;
    for (const recorded_input &input : what.inputs) {
      if (input.when != recorded_input::moment::after_start) now_ms = std::max(now_ms, input.at_ms);
      input.what.visit([&](const command &c) {
        if (std::holds_alternative<put_ask>(c)) last_ask_ms = now_ms;
        counted_.sees(now_ms, c);
      });
    }
    counted_.ends();
  }

  // The type of which asks want the largest part of what there is, and the commonest ask that wants of it.
  [[nodiscard]] measure measured_by() const {
    const ledger &names = counted_.book();
    std::vector<double> there(names.types().size()), wanted(names.types().size());
    for (const change &c : kept_.changes) {
      for (const auto &[type, amount] : names.amounts_of(c.shape)) {
        if (c.kind == change::what::node_added) there[type] += static_cast<double>(amount);
        if (c.kind == change::what::asked) wanted[type] += static_cast<double>(amount) * static_cast<double>(c.count);
      }
    }
    measure out;
    double most = -1;
    for (uint32_t type = 0; type < there.size(); ++type) {
      if (there[type] <= 0 || wanted[type] / there[type] <= most) continue;
      most = wanted[type] / there[type];
      out.type = names.types()[type];
    }
    out.member = commonest_ask(kept_, out.type);
    return out;
  }

  int64_t last_ask_ms = INT64_MIN;  // INT64_MIN: nothing is asked for

 private:
  timeline kept_;
  tally counted_;
};

}  // namespace

uint64_t calls_of(const opened_policies &policies, const std::string &module) {
  uint64_t out = 0;
  for (const host::module_counters &one : policies.modules->counters()) out += one.id == module ? one.calls : 0;
  return out;
}

result<journal_trials> journal_trials::make(recorded_load what, const std::vector<std::string> &measures,
                                            side_configuration how, policy_choice policies,
                                            engine_factory make_engine) {
  auto figures = parse_measures<named_figure>(measures, known_figures());
  if (!figures) return figures.why();
  const load_survey survey(what);
  if (survey.last_ask_ms <= what.first_ms) {
    return refusal{"the journal", "asks at more than one time", "none, or all of them at once",
                   "name one of a longer time"};
  }
  journal_trials out(
      {std::move(what), measures, std::move(*figures), std::move(how), std::move(policies), std::move(make_engine)});
  out.middle_ms_ = out.of_.what.first_ms + (survey.last_ask_ms - out.of_.what.first_ms) / 2;
  out.by_ = survey.measured_by();
  return out;
}

int64_t journal_trials::begin_of(load_part part) const { return part.reported ? middle_ms_ + 1 : of_.what.first_ms; }

int64_t journal_trials::end_of(load_part part) const {
  if (part.reported) return of_.what.last_ms;
  return of_.what.first_ms + ((middle_ms_ - of_.what.first_ms) >> part.halved);
}

std::vector<measure_words> journal_trials::measures() const {
  std::vector<measure_words> out;
  for (size_t i = 0; i < of_.figures.size(); ++i) {
    out.push_back({of_.names[i], of_.figures[i].unit(), of_.figures[i].is_better_low()});
  }
  return out;
}

std::string journal_trials::words_for(load_part part) const {
  const auto seconds = [&](int64_t ms) { return duration_text(static_cast<double>(ms - of_.what.first_ms) / 1000.0); };
  return part.reported ? "what came after " + seconds(middle_ms_) + ", up to " + seconds(of_.what.last_ms)
                       : "the first " + seconds(end_of(part));
}

std::vector<std::string> journal_trials::runs_of(load_part part) const {
  return {part.reported ? std::string("the second half") : "the first half, halved " + std::to_string(part.halved)};
}

result<trial_answer> journal_trials::play(load_part part, size_t, const std::string &module,
                                          const module_settings &settings) const {
  policy_choice choice = of_.policies;
  choice.settings = settings;
  const auto policies = open_policies(choice);
  if (!policies) return policies.why();
  side_configuration how = of_.how;
  how.until_ms = end_of(part);
  side_run run;
  if (const auto refused = run.play(of_.what, how, of_.make_engine(*policies->source), {})) {
    return refusal{"--module", "a configuration that can be used", *refused,
                   "take it out of the space, or name policies that the deployment has"};
  }
  measure by = by_;
  by.first_ms = begin_of(part);
  by.last_ms = how.until_ms;
  const side_figures figures = figure_side(run, by);
  trial_answer out;
  for (const named_figure &one : of_.figures) {
    const auto value = one.value_in(figures.whole);
    if (!value) out.unknown.push_back(out.values.size());
    out.values.push_back(value.value_or(std::nan("")));
  }
  out.calls = calls_of(*policies, module);
  return out;
}

}  // namespace tenon::cli
