// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/diff_command.hpp"

#include <optional>
#include <ostream>
#include <utility>

#include "diff/comparison.hpp"
#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/recorded_journal.hpp"
#include "run/run_policies.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::cli {
namespace {

// The policies and the configuration of a side.
struct opened_side {
  opened_policies policies;
  side_configuration how;
};

result<opened_side> open_side(const diff_side_options &options, const std::string &module_path) {
  opened_side out;
  auto policies = open_policies({options.deployment, module_path});
  if (!policies) return policies.why();
  out.policies = std::move(*policies);
  out.how.node_sort = options.node_sort;
  if (options.config.empty()) return out;
  const auto text = read_file(options.config);
  if (!text) return text.why();
  auto parsed = config::parse_queues_yaml(
      *text, options.config, {.known = out.policies.known_without_users(), .max_queue_depth = 32, .limits = {}});
  if (!parsed) return parsed.why();
  out.how.config = std::move(*parsed);
  return out;
}

std::vector<std::pair<std::string, std::string>> settings_of(const diff_side_options &options) {
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("deployment", options.deployment.empty() ? "of all modules" : options.deployment);
  out.emplace_back("configuration", options.config.empty() ? "as recorded" : options.config);
  if (!options.node_sort.empty()) out.emplace_back("node order", options.node_sort);
  return out;
}

class diff_run {
 public:
  diff_run(const diff_options &options, std::ostream &err, const engine_factory &make_engine)
      : options_(options), err_(err), make_engine_(make_engine) {}

  std::optional<refusal> run() {
    const auto thresholds = parse_thresholds(options_.fail_if);
    if (!thresholds) return thresholds.why();
    if (auto why = read_journal_file()) return why;
    auto a = open_side(options_.a, options_.module_path), b = open_side(options_.b, options_.module_path);
    if (!a) return a.why();
    if (!b) return b.why();
    if (auto why = play(options_.a, *a, of_.a)) return why;
    if (auto why = play(options_.b, *b, of_.b)) return why;
    of_.by = measure_of(of_.a.run, of_.b.run, options_.windows);
    of_.a.figures = figure_side(of_.a.run, of_.by);
    of_.b.figures = figure_side(of_.b.run, of_.by);
    of_.placings = compare_placements(of_.a.run, of_.b.run, options_.first);
    of_.first = find_first_difference(of_.a.run, of_.b.run, again(*a), again(*b));
    if (options_.realign != 0) {
      policy_source *policies_of_b =
          options_.a.deployment == options_.b.deployment ? nullptr : b->policies.source.get();
      of_.realigned = realign(again(*a), b->how, policies_of_b, options_.realign, options_.first);
    }
    auto checked = check_all(*thresholds, of_.a.figures.whole, of_.b.figures.whole);
    if (!checked) return checked.why();
    of_.thresholds = std::move(*checked);
    if (options_.report.empty()) return std::nullopt;
    return write_file(options_.report, diff_page(of_));
  }

  [[nodiscard]] const comparison &outcome() const { return of_; }

 private:
  std::optional<refusal> read_journal_file() {
    of_.journal = options_.journal;
    auto policies =
        open_policies({options_.recorded.empty() ? options_.a.deployment : options_.recorded, options_.module_path});
    if (!policies) return policies.why();
    const auto journal = read_recorded(options_.journal, journal_start::empty, *policies, err_);
    if (!journal) return journal.why();
    auto read = read_recorded_load(journal->bytes, make_engine_(*policies->source));
    if (!read) return read.why();
    of_.load = std::move(*read);
    return std::nullopt;
  }

  std::optional<refusal> play(const diff_side_options &options, opened_side &side, compared_side &to) {
    to.settings = settings_of(options);
    std::optional<output_file> decisions;
    if (!options.decisions.empty()) {
      auto opened = output_file::create(options.decisions);
      if (!opened) return opened.why();
      decisions.emplace(std::move(*opened));
    }
    session_sinks sinks;
    if (decisions) sinks.decisions = [&](std::string_view bytes) { decisions->append(bytes); };
    if (const auto refused = to.run.play(of_.load, side.how, make_engine_(*side.policies.source), std::move(sinks))) {
      return refusal{options.config.empty() ? options_.journal : options.config, "a configuration that can be used",
                     *refused, "name policies that the deployment has"};
    }
    if (side.policies.modules != nullptr) to.calls = side.policies.modules->counters();
    return decisions ? decisions->close() : std::nullopt;
  }

  [[nodiscard]] replay_side again(opened_side &side) {
    return [this, &side](side_run &to, const watched_command &watched) {
      return to.play(of_.load, side.how, make_engine_(*side.policies.source), {}, watched);
    };
  }

  const diff_options &options_;
  std::ostream &err_;
  const engine_factory &make_engine_;
  comparison of_;
};

}  // namespace

exit_code run_diff(const diff_options &options, std::ostream &out, std::ostream &err,
                   const engine_factory &make_engine) {
  diff_run run(options, err, make_engine);
  if (const auto why = run.run()) {
    complain(err, *why);
    return exit_code::bad_input;
  }
  if (options.json) {
    out << to_json(run.outcome()) << '\n';
  } else {
    print(out, run.outcome());
  }
  return run.outcome().passed() ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
