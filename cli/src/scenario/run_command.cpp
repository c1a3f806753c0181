// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/run_command.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>

#include "run/complain.hpp"
#include "run/output_file.hpp"
#include "run/run_policies.hpp"
#include "scenario/player.hpp"
#include "scenario/report.hpp"
#include "scenario/scenario_reader.hpp"
#include "tenon/host/expression.hpp"
#include "tenon/host/module_host.hpp"

namespace tenon::cli {
namespace {

namespace fs = std::filesystem;

// Files as given, and those below a given folder by name.
std::vector<std::string> find_files(const std::vector<std::string> &paths, std::vector<refused_file> &refused) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    std::error_code why;
    if (!fs::is_directory(path, why)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (auto it = fs::recursive_directory_iterator(path, why); !why && it != fs::end(it); it.increment(why)) {
      const std::string extension = it->path().extension().string();
      if (it->is_regular_file() && (extension == ".yaml" || extension == ".yml")) found.push_back(it->path().string());
    }
    if (why) refused.push_back({path, {{path, "a folder that can be read", why.message(), "check its permissions"}}});
    if (found.empty() && !why) {
      const refusal nothing{path, "scenario files", "no *.yaml below this folder", "name a file or another folder"};
      refused.push_back({path, {nothing}});
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<scenario> read_all(const std::vector<std::string> &files, std::vector<refused_file> &refused) {
  std::vector<scenario> out;
  for (const std::string &file : files) {
    const auto text = read_file(file);
    if (!text) {
      refused.push_back({file, {text.why()}});
      continue;
    }
    config::problems report(file);
    auto read = read_scenario(file, *text, report);
    if (read) {
      out.push_back(std::move(*read));
    } else {
      refused.push_back({file, report.refusals()});
    }
  }
  return out;
}

std::optional<refusal> keep_matching(const std::string &filter, std::vector<scenario> &all) {
  if (filter.empty()) return std::nullopt;
  auto wanted = host::expression::compile(filter);
  if (!wanted) return refusal{"--filter", wanted.why().want, wanted.why().have, wanted.why().fix};
  std::erase_if(all, [&](const scenario &s) { return !wanted->found_in(s.name); });
  if (!all.empty()) return std::nullopt;
  return refusal{"--filter", "a name that matches", "no scenario's name has '" + filter + "'", "try without --filter"};
}

// Where journals go: into the file itself, when there is one scenario, or into the folder, named by scenario.
// A scheduler that is restarted begins another journal: NAME.2.
class journal_files {
 public:
  explicit journal_files(const std::string &target) : target_(target), folder_(fs::is_directory(target)) {}

  [[nodiscard]] bool is_folder() const { return folder_; }

  // The function that a stage calls at the start of each life of the scheduler.
  std::function<byte_sink()> of(const std::string &scenario_name) {
    const fs::path base = folder_ ? fs::path(target_) / (scenario_name + ".journal") : fs::path(target_);
    return [this, base, life = 0]() mutable -> byte_sink {
      ++life;
      auto file = output_file::create(life == 1 ? base : fs::path(base.string() + "." + std::to_string(life)));
      if (!file) {
        if (!failed_) failed_ = file.why();
        return {};
      }
      output_file *open = &files_.emplace_back(std::move(*file));
      return [open](std::string_view bytes) { open->append(bytes); };
    };
  }

  // Ends the journals of a scenario; the first failure, if any.
  std::optional<refusal> close() {
    for (output_file &file : files_) {
      const auto why = file.close();
      if (why && !failed_) failed_ = why;
    }
    files_.clear();
    return failed_;
  }

 private:
  std::string target_;
  bool folder_;
  std::deque<output_file> files_;
  std::optional<refusal> failed_;
};

// Plays scenarios one after the other with the files that were asked for.
class runner {
 public:
  runner(const scenario_run_options &options, const engine_factory &make_engine)
      : options_(options), make_engine_(make_engine), journals_(options.record) {}

  // The deployment that holds for all scenarios, where one was given.
  std::optional<refusal> open_given() {
    if (options_.deployment.empty()) return std::nullopt;
    const auto opened = policies_in(options_.deployment);
    return opened ? std::nullopt : std::optional(opened.why());
  }

  // Takes those out of `all` whose deployment or configuration is refused.
  void check(std::vector<scenario> &all, std::vector<refused_file> &refused) {
    std::erase_if(all, [&](const scenario &s) {
      const auto why = problem_with(s);
      if (why) refused.push_back({s.file, {*why}});
      return why.has_value();
    });
  }

  // What was asked for and cannot be opened is refused before the first scenario is played.
  std::optional<refusal> prepare(const std::vector<scenario> &all) {
    if (!options_.record.empty() && !journals_.is_folder() && all.size() > 1) {
      return refusal{"--record", "one scenario, or a folder for the journals of several",
                     std::to_string(all.size()) + " scenarios and '" + options_.record + "', which is no folder",
                     "make the folder first, or narrow the run with --filter"};
    }
    if (options_.decisions.empty()) return std::nullopt;
    auto file = output_file::create(options_.decisions);
    if (!file) return file.why();
    decisions_.emplace(std::move(*file));
    several_ = all.size() > 1;
    return std::nullopt;
  }

  outcome run(const scenario &what) {
    stage on;
    const opened_policies *policies = *policies_of(what);
    on.policies = policies->source.get();
    on.known = policies->known_without_users();
    on.make_engine = make_engine_;
    on.origin = policies->modules->journal_origin();
    if (!options_.record.empty()) on.next_journal = journals_.of(what.name);
    if (decisions_) {
      if (several_) decisions_->append("# " + what.name + "\n");
      on.decisions = [this](std::string_view bytes) { decisions_->append(bytes); };
    }
    const auto start = std::chrono::steady_clock::now();
    const std::vector<failure> failures = play(what, on);
    outcome out{what.name, what.file, 0, {}};
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const failure &f : failures) out.failures.push_back(f.text(what.file));
    return out;
  }

  // Ends the journals of the scenario that was just played.
  std::optional<refusal> finish_one() { return options_.record.empty() ? std::nullopt : journals_.close(); }
  std::optional<refusal> finish() { return decisions_ ? decisions_->close() : std::nullopt; }

 private:
  // A configuration that cannot be read is wrong in the file; one that the scheduler refuses fails the scenario.
  std::optional<refusal> problem_with(const scenario &what) {
    const auto policies = policies_of(what);
    if (!policies) return policies.why();
    const auto parsed = config::parse_queues_yaml(
        what.config, "config", {.known = (*policies)->known_without_users(), .max_queue_depth = 32, .limits = {}});
    if (parsed) return std::nullopt;
    refusal why = parsed.why();
    why.where = config::problems(what.file).where(what.config_at) + ": " + why.where;
    return why;
  }

  // One source for each deployment; scenarios share it, and each binds instances of its own.
  result<const opened_policies *> policies_of(const scenario &what) {
    std::string deployment = options_.deployment;
    if (deployment.empty() && !what.deployment.empty()) {
      deployment = (fs::path(what.file).parent_path() / what.deployment).lexically_normal().string();
    }
    return policies_in(deployment);
  }

  result<const opened_policies *> policies_in(const std::string &deployment) {
    const auto known = policies_.find(deployment);
    if (known != policies_.end()) return &known->second;
    auto opened = open_policies({deployment, options_.module_path});
    if (!opened) return opened.why();
    return &policies_.emplace(deployment, std::move(*opened)).first->second;
  }

  const scenario_run_options &options_;
  const engine_factory &make_engine_;
  std::map<std::string, opened_policies> policies_;
  journal_files journals_;
  std::optional<output_file> decisions_;
  bool several_ = false;
};

exit_code refuse(const scenario_run_options &options, const refusal &why, std::ostream &out, std::ostream &err) {
  complain(err, why);
  const refused_file all{{}, {why}};
  if (options.json) out << to_json({}, {&all, 1}) << '\n';
  return exit_code::bad_input;
}

}  // namespace

exit_code run_scenarios(const scenario_run_options &options, std::ostream &out, std::ostream &err,
                        const engine_factory &make_engine) {
  runner plays(options, make_engine);
  if (const auto why = plays.open_given()) return refuse(options, *why, out, err);
  std::vector<refused_file> refused;
  std::vector<scenario> all = read_all(find_files(options.paths, refused), refused);
  // What is refused is told whatever the filter: it may have no name yet.
  const bool any = !all.empty();
  if (const auto why = keep_matching(options.filter, all); why && any) return refuse(options, *why, out, err);

  plays.check(all, refused);
  for (const refused_file &one : refused) complain(err, one.why);
  if (const auto why = plays.prepare(all)) return refuse(options, *why, out, err);
  std::vector<outcome> outcomes;
  for (const scenario &what : all) {
    outcomes.push_back(plays.run(what));
    if (!options.json) print(out, outcomes.back());
    if (const auto why = plays.finish_one()) return refuse(options, *why, out, err);
  }
  if (const auto why = plays.finish()) return refuse(options, *why, out, err);
  if (!options.junit.empty()) {
    if (const auto why = write_file(options.junit, to_junit(outcomes, refused))) {
      return refuse(options, *why, out, err);
    }
  }
  if (options.json) {
    out << to_json(outcomes, refused) << '\n';
  } else if (!outcomes.empty()) {
    print_totals(out, outcomes, refused);
  }
  if (!refused.empty()) return exit_code::bad_input;
  const bool passed = std::all_of(outcomes.begin(), outcomes.end(), [](const outcome &o) { return o.passed(); });
  return passed ? exit_code::ok : exit_code::failed;
}

}  // namespace tenon::cli
