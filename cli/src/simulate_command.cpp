// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate_command.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <optional>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "report/report_page.hpp"
#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/recorded_journal.hpp"
#include "run/run_policies.hpp"
#include "simulate/progress.hpp"
#include "simulate/run_summary.hpp"
#include "simulate/seeds.hpp"
#include "tenon/config/problems.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"
#include "tenon/json/state_json.hpp"
#include "trace/trace.hpp"

namespace tenon::cli {
namespace {

// What a run is called in a report.
std::string label_of(const std::string &report) { return std::filesystem::path(report).stem().string(); }

result<cluster_config> choose_config(const simulate_options &options, const load &of,
                                     const config::known_policies &known) {
  cluster_config config = default_config(of);
  if (!options.config.empty()) {
    const auto text = read_file(options.config);
    if (!text) return text.why();
    auto parsed =
        config::parse_queues_yaml(*text, options.config, {.known = known, .max_queue_depth = 32, .limits = {}});
    if (!parsed) return parsed.why();
    config = std::move(*parsed);
  }
  if (options.node_sort.empty()) return config;
  for (partition_config &partition : config.partitions) partition.node_sort.type = options.node_sort;
  return config;
}

// A journal is what a day is played from again: one that is there is not written over, as serve does not either.
std::optional<refusal> refuse_to_overwrite(const std::filesystem::path &journal) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(journal, unknown)) return std::nullopt;
  const auto bytes = std::filesystem::file_size(journal, unknown);
  if (unknown || bytes == 0) return std::nullopt;
  return refusal{journal.string(), "a new file for --record", "one with " + std::to_string(bytes) + " bytes",
                 "move it away, or name another"};
}

// The files that a run writes, opened before it starts.
class run_files {
 public:
  std::optional<refusal> open(const simulate_options &options) {
    if (auto no = refuse_to_overwrite(options.record)) return no;
    for (const auto &[name, file] : {std::pair{&options.record, &journal_}, std::pair{&options.decisions, &decisions_},
                                     std::pair{&options.report, &report_}}) {
      if (name->empty()) continue;
      auto opened = output_file::create(*name);
      if (!opened) return opened.why();
      file->emplace(std::move(*opened));
    }
    return std::nullopt;
  }

  session_sinks sinks() {
    session_sinks out;
    if (journal_) out.journal = [this](std::string_view bytes) { journal_->append(bytes); };
    if (decisions_) out.decisions = [this](std::string_view bytes) { decisions_->append(bytes); };
    return out;
  }

  void write_report(std::string_view page) {
    if (report_) report_->append(page);
  }

  std::optional<refusal> close() {
    for (auto *file : {&journal_, &decisions_, &report_}) {
      if (!*file) continue;
      if (auto why = (*file)->close()) return why;
    }
    return std::nullopt;
  }

 private:
  std::optional<output_file> journal_, decisions_, report_;
};

// The ask that waits at the end and is named most like this, or the first few of those that wait.
std::string waiting_like(const std::string &wanted, const kernel_snapshot &end) {
  constexpr size_t most_looked_at = 1'000, shown = 5;
  std::vector<std::string> waiting;
  for (const partition_snapshot &partition : end.partitions)
    for (const application_snapshot &app : partition.applications)
      for (const ask_snapshot &ask : app.asks)
        if (ask.pending_count > 0 && waiting.size() < most_looked_at) waiting.push_back(app.id + "/" + ask.key);
  if (waiting.empty()) return "leave --explain out: nothing waits at the end";
  const size_t few = std::min(shown, waiting.size());
  std::vector<std::string_view> known(waiting.begin(), waiting.end());
  if (config::closest(wanted, known).empty()) known.resize(few);
  return config::suggestion(wanted, known) + (few < waiting.size() ? " (--dump writes all)" : "");
}

class simulate_run {
 public:
  simulate_run(const simulate_options &options, std::ostream &out, std::ostream &err, const engine_factory &make_engine)
      : options_(options),
        out_(out),
        err_(err),
        make_engine_(make_engine),
        counted_(options.report.empty() ? nullptr : &kept_) {}

  std::optional<refusal> run() {
    const bool drawn = options_.shuffle || !options_.seeds.empty();
    if ((drawn || options_.in_order) && options_.mode != load_mode::fill) {
      const char *option = options_.in_order ? "--in-order" : options_.shuffle ? "--shuffle" : "--seeds";
      return refusal{option, "--mode fill", "asks that come at their times", "add --mode fill"};
    }
    if (options_.inflate > 0 && !drawn) {
      return refusal{"--inflate", "a seed to draw asks by", "none", "add --shuffle SEED or --seeds FIRST..LAST"};
    }
    if (!options_.seeds.empty()) return run_seeds();
    auto policies =
        open_policies({options_.deployment, options_.module_path, options_.settings, options_.replay.empty()});
    if (!policies) return policies.why();
    policies_ = std::move(*policies);
    if (!options_.beside.empty()) {
      const auto page = read_file(options_.beside);
      if (!page) return page.why();
      auto other = read_report(*page, options_.beside);
      if (!other) return other.why();
      other_ = std::move(*other);
      other_->label = label_of(options_.beside);
    }
    return options_.replay.empty() ? run_load() : run_journal();
  }

  // `failed` where every ask of a load was refused, or the ask to explain does not wait.
  [[nodiscard]] exit_code outcome() const { return outcome_; }
  [[nodiscard]] std::vector<host::module_counters> calls() const { return policies_.modules->counters(); }

 private:
  std::optional<refusal> run_seeds() {
    const auto seeds = parse_seeds(options_.seeds, "--seeds");
    if (!seeds) return seeds.why();
    const auto summaries = play_seeds(*seeds, [&](uint64_t seed) -> result<std::string> {
      simulate_options one = options_;
      one.seeds.clear();
      one.shuffle = seed;
      const auto said = simulate_quietly(one, err_, make_engine_);
      if (!said) return said.why();
      return said->summary;
    });
    if (!summaries) return summaries.why();
    if (options_.json) {
      out_ << seeds_to_json(*seeds, *summaries) << '\n';
    } else {
      print_seeds(out_, *seeds, *summaries);
    }
    return std::nullopt;
  }

  // What the options make of a load.
  std::optional<refusal> change(load &what) const {
    if (options_.gpu_nodes_only) keep_gpu_nodes(what);
    if (options_.in_order) {
      if (auto why = line_up(what)) return why;
    } else if (options_.shuffle) {
      if (auto why = redraw(what, {*options_.shuffle, options_.inflate})) return why;
    }
    return options_.name_tag.empty() ? std::nullopt : tag_with_names(what, options_.name_tag);
  }

  [[nodiscard]] load_mode mode() const {
    return options_.in_order || options_.shuffle ? load_mode::arrive : options_.mode;
  }

  std::optional<refusal> run_load() {
    auto read =
        options_.trace.empty() ? result<load>(generate(options_.generated)) : read_trace(options_.trace, options_.gpus);
    if (!read) return read.why();
    load what = std::move(*read);
    if (auto why = change(what)) return why;
    const auto config = choose_config(options_, what, policies_.known_without_users());
    if (!config) return config.why();
    report_.origin = what.origin;
    describe(what);
    return play(what.asks.size(), [&](session &on, const progress_listener &listen) -> std::optional<refusal> {
      const simulation plan{what,           *config,        mode(),
                            options_.queue, options_.gangs, options_.placeholder_timeout_s * 1000};
      const auto refused = plan.run(on, counted_, listen);
      if (!refused) return std::nullopt;
      return refusal{options_.config.empty() ? "--node-sort" : options_.config, "a configuration that can be used",
                     *refused, "name policies that are loaded"};
    });
  }

  std::optional<refusal> run_journal() {
    const auto journal = read_recorded(options_.replay, journal_start::empty, policies_, err_);
    if (!journal) return journal.why();
    report_.origin = "journal " + options_.replay;
    return play(journal->asks, [&](session &on, const progress_listener &listen) -> std::optional<refusal> {
      const auto played = replay_journal(journal->bytes, on, counted_, listen);
      return played ? std::nullopt : std::optional(played.why());
    });
  }

  template <class Play>
  std::optional<refusal> play(uint64_t asks, Play play_it) {
    run_files files;
    if (auto why = files.open(options_)) return why;
    session_sinks sinks = files.sinks();
    sinks.origin = policies_.modules->journal_origin();
    session on(make_engine_(*policies_.source), std::move(sinks));
    progress bar(err_, progress_style_of(options_.progress), "pods", asks);
    uint64_t done = 0;
    const auto note = [&] { return std::to_string(counted_.placed()) + " placed"; };
    const auto listen = [&](uint64_t submitted, const tally &) {
      done = submitted;
      bar.show(done, note());
    };
    if (auto why = play_it(on, progress_listener(listen))) return why;
    bar.finish(done, note());
    counted_.ends();
    const kernel_snapshot end = on.scheduler().snapshot();
    report_.counted = counted_.summary(end);
    const run_summary &of = report_.counted;
    const bool all_refused = of.rejected > 0 && of.placed == 0 && of.pending == 0;
    if (options_.replay.empty() && all_refused) outcome_ = exit_code::failed;
    report_.step_decisions = on.step_decisions();
    report_.step_seconds = on.step_seconds();
    report_.shadows = policies_.modules->shadows();
    if (!options_.report.empty()) files.write_report(page());
    if (auto why = files.close()) return why;
    if (!options_.dump.empty()) {
      if (auto why = write_file(options_.dump, boost::json::serialize(state_json::write(end)) + "\n")) return why;
    }
    if (!options_.explain.empty()) return explain(on.scheduler(), end);
    if (options_.json) {
      out_ << to_json(report_) << '\n';
    } else {
      print(out_, report_);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string page() {
    run_record run;
    run.label = label_of(options_.report);
    run.origin = report_.origin;
    if (kept_.first_ms != no_date_ms) run.begins_ms = kept_.first_ms;
    run.settings = settings_;
    run.counted = report_.counted;
    run.curves = make_curves(kept_);
    const name_list &types = counted_.book().types();
    for (uint32_t type = 0; type < types.size(); ++type) {
      if (types[type] == run.curves.main_type) run.jobs = figure_jobs(counted_.book(), type, kept_.last_ms);
    }
    report_.fairness = run.curves.average_fairness;
    report_.scattered = run.curves.average_scattered;
    report_.stranded = run.curves.average_stranded;
    report_.slowdown = run.jobs.slowdown;
    report_.completion = run.jobs.completion;
    if (other_ && other_->label == run.label) other_->label += " (other)";
    return report_page(run, other_ ? &*other_ : nullptr);
  }

  // How a load is played, in the words of the options.
  void describe(const load &what) {
    settings_.emplace_back("Mode", mode() == load_mode::fill ? "fill: everything at once"
                                   : options_.in_order       ? "fill: one after the other, in the order of the load"
                                   : options_.shuffle        ? "fill: one after the other, in an order by chance"
                                                             : "replay: in time");
    if (options_.shuffle) settings_.emplace_back("Seed of the order", std::to_string(*options_.shuffle));
    if (std::any_of(what.applications.begin(), what.applications.end(), [](const auto &app) { return app.gang; })) {
      settings_.emplace_back("Gangs", options_.gangs == gang_style::none   ? "worker by worker"
                                      : options_.gangs == gang_style::soft ? "soft, with placeholders"
                                                                           : "hard, with placeholders");
    }
    settings_.emplace_back("Configuration",
                           options_.config.empty() ? "a leaf for each queue of the load" : options_.config);
    if (!options_.queue.empty()) settings_.emplace_back("Queue", options_.queue);
    if (!options_.node_sort.empty()) settings_.emplace_back("Node sort policy", options_.node_sort);
  }

  // Every partition is asked; the first that knows the ask answers.
  std::optional<refusal> explain(engine &scheduler, const kernel_snapshot &end) {
    const size_t slash = options_.explain.rfind('/');
    const std::string application = options_.explain.substr(0, slash);
    const std::string key = slash == std::string::npos ? std::string() : options_.explain.substr(slash + 1);
    for (const partition_snapshot &partition : end.partitions) {
      const auto why = scheduler.explain(partition.name, application, key);
      if (!why || !why->known) continue;
      out_ << (options_.json ? boost::json::serialize(state_json::write(*why, {state_json::explanation_old_keys}))
                             : why->text)
           << '\n';
      return std::nullopt;
    }
    complain(err_, refusal{"--explain", "APPLICATION/KEY of an ask that waits at the end",
                           "no ask '" + options_.explain + "'", waiting_like(options_.explain, end)});
    outcome_ = exit_code::failed;
    return std::nullopt;
  }

  const simulate_options &options_;
  std::ostream &out_;
  std::ostream &err_;
  const engine_factory &make_engine_;
  opened_policies policies_;
  timeline kept_;
  tally counted_;
  run_report report_;
  std::optional<run_record> other_;
  std::vector<std::pair<std::string, std::string>> settings_;
  exit_code outcome_ = exit_code::ok;
};

}  // namespace

result<quiet_simulation> simulate_quietly(const simulate_options &options, std::ostream &err,
                                          const engine_factory &make_engine) {
  simulate_options quiet = options;
  quiet.json = true;
  quiet.progress = false;
  std::ostringstream summary;
  simulate_run run(quiet, summary, err, make_engine);
  if (auto why = run.run()) return *why;
  return quiet_simulation{summary.str(), run.calls()};
}

exit_code run_simulate(const simulate_options &options, std::ostream &out, std::ostream &err,
                       const engine_factory &make_engine) {
  simulate_run run(options, out, err, make_engine);
  const auto why = run.run();
  if (!why) return run.outcome();
  complain(err, *why);
  return exit_code::bad_input;
}

}  // namespace tenon::cli
