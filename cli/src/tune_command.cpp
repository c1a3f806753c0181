// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune_command.hpp"

#include <algorithm>
#include <bit>
#include <boost/json.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/recorded_journal.hpp"
#include "run/run_policies.hpp"
#include "simulate/progress.hpp"
#include "simulate/seeds.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"
#include "tune/journal_trials.hpp"
#include "tune/outcome.hpp"
#include "tune/space.hpp"
#include "tune/tuner.hpp"

namespace tenon::cli {
namespace {

// A fill with many seeds: the first half of them is tuned on.
class fill_trials final : public trials {
 public:
  [[nodiscard]] static result<fill_trials> make(const simulate_options &load, std::vector<std::string> names,
                                                const engine_factory &make_engine) {
    auto seeds = parse_seeds(load.seeds, "--seeds");
    if (!seeds) return seeds.why();
    if (seeds->size() < 2) {
      return refusal{"--seeds", "at least two, one to tune on and one to report on", "1", "write FIRST..LAST"};
    }
    if (names.empty()) {
      names = {"allocation(100)"};
      const auto end = static_cast<size_t>(std::lround(100 * load.inflate));
      if (end > 100) names.push_back("allocation(" + std::to_string(end) + ")");
    }
    auto measures = parse_measures<fill_measure>(names, known_fill_measures());
    if (!measures) return measures.why();
    for (size_t i = 0; i < names.size(); ++i) {
      const auto arrived = (*measures)[i].arrived();
      if (!arrived || load.inflate <= 0 || static_cast<double>(*arrived) <= 100 * load.inflate + 1e-9) continue;
      return refusal{"--measure", "no more per cent than are asked for", "'" + names[i] + "'", "raise --inflate"};
    }
    return fill_trials(load, std::move(*seeds), std::move(names), std::move(*measures), make_engine);
  }

  std::vector<measure_words> measures() const override {
    std::vector<measure_words> out;
    for (size_t i = 0; i < names_.size(); ++i)
      out.push_back({names_[i], measures_[i].unit(), measures_[i].is_better_low()});
    return out;
  }

  std::string words_for(load_part part) const override {
    const auto [first, count] = range_of(part);
    const std::string from = std::to_string(seeds_[first]);
    return count == 1 ? "seed " + from : "seeds " + from + " to " + std::to_string(seeds_[first + count - 1]);
  }

  unsigned most_halved() const override { return std::min<unsigned>(3, std::bit_width(range_of({}).second) - 1); }

  std::vector<std::string> runs_of(load_part part) const override {
    std::vector<std::string> out;
    const auto [first, count] = range_of(part);
    for (size_t i = first; i < first + count; ++i) out.push_back("seed " + std::to_string(seeds_[i]));
    return out;
  }

  result<trial_answer> play(load_part part, size_t run, const std::string &module,
                            const module_settings &settings) const override {
    simulate_options one = load_;
    one.seeds.clear();
    one.shuffle = seeds_[range_of(part).first + run];
    one.settings = settings;
    std::ostringstream unheard;
    const auto said = simulate_quietly(one, unheard, make_engine_);
    if (!said) return said.why();
    const boost::json::value summary = boost::json::parse(said->summary);
    trial_answer out;
    for (const fill_measure &measure : measures_) out.values.push_back(measure.value_in(summary.as_object()));
    for (const host::module_counters &counted : said->calls) out.calls += counted.id == module ? counted.calls : 0;
    return out;
  }

 private:
  fill_trials(simulate_options load, std::vector<uint64_t> seeds, std::vector<std::string> names,
              std::vector<fill_measure> measures, const engine_factory &make_engine)
      : load_(std::move(load)),
        seeds_(std::move(seeds)),
        names_(std::move(names)),
        measures_(std::move(measures)),
        make_engine_(make_engine) {}

  // Which of the seeds: the first, and how many.
  [[nodiscard]] std::pair<size_t, size_t> range_of(load_part part) const {
    const size_t tuned = (seeds_.size() + 1) / 2;
    if (part.reported) return {tuned, seeds_.size() - tuned};
    return {0, std::max<size_t>(1, (tuned + (size_t{1} << part.halved) - 1) >> part.halved)};
  }

  simulate_options load_;
  std::vector<uint64_t> seeds_;
  std::vector<std::string> names_;
  std::vector<fill_measure> measures_;
  engine_factory make_engine_;
};

class tune_run {
 public:
  tune_run(const tune_options &options, std::ostream &err, const engine_factory &make_engine)
      : options_(options), err_(err), make_engine_(make_engine) {}

  std::optional<refusal> check_options() const {
    const bool load = !options_.load.trace.empty() || options_.generate;
    if (options_.journal.empty() && !load)
      return refusal{"tenon tune", "a JOURNAL, or a load to fill nodes with: --trace or --generate", "neither",
                     "name one"};
    if (!options_.journal.empty() && load)
      return refusal{"tenon tune", "a JOURNAL or a load", "both", "leave one of them out"};
    if (load && (options_.load.mode != load_mode::fill || options_.load.seeds.empty()))
      return refusal{"tenon tune", "--mode fill and --seeds FIRST..LAST with a load", "a load in time",
                     "record it first, with tenon simulate --record FILE, and name the file"};
    return std::nullopt;
  }

  // Of all that is wrong with the space the first reasons.
  std::vector<refusal> run() {
    if (auto why = check_options()) return {*why};
    std::vector<refusal> whys = read_space();
    if (!whys.empty()) return whys;
    if (auto why = choose_trials()) return {*why};
    progress bar(err_, progress_style_of(options_.progress), "runs", 0);
    plan_.listen = [&](size_t ended, size_t all) {
      bar.expect(all);
      bar.show(ended, options_.module);
    };
    auto outcome = tuner(*trials_, plan_).run();
    if (!outcome) return {outcome.why()};
    bar.finish(outcome->runs, options_.module);
    outcome_ = std::move(*outcome);
    return {};
  }

  [[nodiscard]] const tune_outcome &outcome() const { return outcome_; }
  [[nodiscard]] const tune_plan &plan() const { return plan_; }
  [[nodiscard]] const trials &on() const { return *trials_; }

 private:
  [[nodiscard]] policy_choice choice() const { return {options_.load.deployment, options_.load.module_path, {}}; }

  // The configuration of the module in the deployment, complete.
  static result<boost::json::object> usual_configuration(const host::module_host &modules,
                                                         const host::module_manifest &manifest) {
    host::configuration given{{}, "the deployment", {}};
    const host::deployment &plan = modules.plan();
    for (const auto *uses : {&plan.predicates, &plan.events, &plan.transports}) {
      const auto found =
          std::find_if(uses->begin(), uses->end(), [&](const auto &one) { return one.use == manifest.id; });
      if (found != uses->end()) given.values = found->config.values;
    }
    if (const host::module_use *use = plan.find(manifest.id)) {
      for (const auto &[key, value] : use->config.values)
        if (!given.values.contains(key)) given.values[key] = value;
    }
    boost::json::object schema = manifest.configuration;
    schema.erase("required");
    return host::complete_configuration(schema, given, manifest.id);
  }

  std::vector<refusal> read_space() {
    const auto text = read_file(options_.space);
    if (!text) return {text.why()};
    const auto policies = open_policies(choice());
    if (!policies) return {policies.why()};
    const host::catalogued_module *module = policies->modules->catalog().find(options_.module);
    if (module == nullptr) return {policies->modules->catalog().missing(options_.module, "--module")};
    const auto usual = usual_configuration(*policies->modules, module->manifest);
    if (!usual) return {usual.why()};
    config::problems report(options_.space);
    space_ = search_space::read(*text, module->manifest.configuration, *usual, report);
    plan_.module = options_.module;
    plan_.halving = options_.halving;
    plan_.at_once = options_.jobs;
    if (space_) plan_.space = &*space_;
    return report.refusals();
  }

  std::optional<refusal> choose_trials() {
    if (!options_.journal.empty()) return choose_journal();
    auto made = fill_trials::make(options_.load, options_.measures, make_engine_);
    if (!made) return made.why();
    trials_ = std::make_unique<fill_trials>(std::move(*made));
    return std::nullopt;
  }

  std::optional<refusal> choose_journal() {
    side_configuration how;
    how.node_sort = options_.load.node_sort;
    if (!options_.load.config.empty()) {
      const auto policies = open_policies(choice());
      if (!policies) return policies.why();
      const auto text = read_file(options_.load.config);
      if (!text) return text.why();
      auto parsed = config::parse_queues_yaml(
          *text, options_.load.config, {.known = policies->known_without_users(), .max_queue_depth = 32, .limits = {}});
      if (!parsed) return parsed.why();
      how.config = std::move(*parsed);
    }
    auto what = read_load();
    if (!what) return what.why();
    const std::vector<std::string> usual{"p50", "p99"};
    auto made = journal_trials::make(std::move(*what), options_.measures.empty() ? usual : options_.measures,
                                     std::move(how), choice(), make_engine_);
    if (!made) return made.why();
    trials_ = std::make_unique<journal_trials>(std::move(*made));
    return std::nullopt;
  }

  result<recorded_load> read_load() {
    policy_choice recorded = choice();
    if (!options_.recorded.empty()) recorded.deployment = options_.recorded;
    const auto policies = open_policies(recorded);
    if (!policies) return policies.why();
    const auto journal = read_recorded(options_.journal, journal_start::empty, *policies, err_);
    if (!journal) return journal.why();
    return read_recorded_load(journal->bytes, make_engine_(*policies->source));
  }

  const tune_options &options_;
  std::ostream &err_;
  const engine_factory &make_engine_;
  std::optional<search_space> space_;
  std::unique_ptr<trials> trials_;
  tune_plan plan_;
  tune_outcome outcome_;
};

}  // namespace

exit_code run_tune(const tune_options &options, std::ostream &out, std::ostream &err,
                   const engine_factory &make_engine) {
  tune_run run(options, err, make_engine);
  const std::vector<refusal> whys = run.run();
  if (!whys.empty()) {
    complain(err, whys);
    return exit_code::bad_input;
  }
  if (options.json) {
    out << to_json(run.outcome(), run.plan(), run.on()) << '\n';
  } else {
    print(out, run.outcome(), run.plan(), run.on());
  }
  return run.outcome().found() != nullptr ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
