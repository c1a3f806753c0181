// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "shadow/shadow_command.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <thread>
#include <utility>

#include "diff/comparison.hpp"
#include "run/complain.hpp"
#include "shadow/growing_file.hpp"
#include "shadow/world_shadow.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds told_every{200}, looked_every{50};
constexpr size_t read_at_once = size_t{256} << 10, lines_at_once = 1'000;

// Whoever started it may end in any way, and what it takes is what the daemon leaves.
void stand_behind() {
  ::signal(SIGTERM, SIG_IGN);  // of who ends the whole service: it ends with its daemon
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int behind_all = 10;
  (void)::setpriority(PRIO_PROCESS, 0, behind_all);
  std::ofstream("/proc/self/oom_score_adj") << "500\n";
}

json::object object_of(const shadow_counts &c) {
  return {{"commands", c.commands}, {"decisions", c.decisions},     {"at_ms", c.at_ms},     {"compared", c.compared},
          {"same", c.same},         {"other", c.other()},           {"refused", c.refused}, {"next", c.next},
          {"checked", c.checked},   {"passed_over", c.passed_over}, {"unequal", c.unequal}, {"faults", c.faults}};
}

json::object object_of(const first_difference &one) {
  std::ostringstream text;
  print_reason(text, "a", one.a);
  print_reason(text, "b", one.b);
  return {{"decision", one.decision},
          {"at_ms", one.at_ms},
          {"a", json_of(one.a)},
          {"b", json_of(one.b)},
          {"text", text.str()}};
}

json::object object_of(const unequal_decision &one) {
  return {{"decision", one.decision}, {"daemon", one.of_daemon}, {"replay", one.of_replay}};
}

json::object object_of(const shadow_fault &one) {
  return {{"decision", one.decision},
          {"where", one.is_of_replay ? "replay" : "comparison"},
          {"module", one.module},
          {"text", one.text}};
}

class shadow_play {
 public:
  shadow_play(const shadow_options &options, std::ostream &out) : options_(options), out_(out) {}

  std::optional<refusal> run() {
    auto plan = host::deployment_of(options_.deployment);
    if (!plan) return plan.why();
    if (!plan->shadow)
      return refusal{options_.deployment, "a deployment with a shadow", "one without",
                     "add `shadow: {}` and what of it is to be otherwise"};
    most_behind_ = plan->shadow->most_behind;
    every_ = plan->shadow->every;
    auto opened = growing_file::open(options_.journal);
    if (!opened) return opened.why();
    journal_.emplace(std::move(*opened));
    if (!options_.decisions.empty()) {
      auto lines = growing_file::open(options_.decisions);
      if (!lines) return lines.why();
      lines_.emplace(std::move(*lines));
    }
    auto made = world_shadow::open(*plan, options_.module_path, options_.from,
                                   {[this](const first_difference &one) { hear(one); }, options_.first,
                                    [this](const unequal_decision &one) { hear(one); },
                                    [this](const shadow_fault &one) { hear(one); }, [this] { tell_in_time(); }});
    if (!made) return made.why();
    shadow_ = std::move(*made);
    if (lines_) shadow_->wants_lines();
    if (options_.follow) {
      json::object settings;
      for (const auto &[what, how] : shadow_->settings()) settings[what] = how;
      say({{"settings", std::move(settings)}});
    }
    if (auto why = play()) return why;
    finish();
    return std::nullopt;
  }

 private:
  std::optional<refusal> play() {
    if (!options_.follow) {
      while (journal_->read_more(read_at_once)) {
      }
    }
    for (;;) {
      const bool more = journal_->read_more(read_at_once);
      if (auto why = take_entries(more || options_.follow)) return why;
      read_lines();
      tell_in_time();
      if (more) continue;
      if (!options_.follow) return std::nullopt;
      std::this_thread::sleep_for(looked_every);
    }
  }

  // The rest of an entry may be on its way.
  std::optional<refusal> take_entries(bool more_to_come) {
    if (header_.empty()) {
      const size_t line = journal_->bytes().find('\n');
      if (line == std::string_view::npos && more_to_come) return std::nullopt;
      header_ = journal_->bytes().substr(0, line == std::string_view::npos ? line : line + 1);
      journal_->take(header_.size());
    }
    const size_t whole = more_to_come ? whole_entries(journal_->bytes()) : journal_->bytes().size();
    if (whole == 0 && more_to_come) return std::nullopt;
    const std::string entries = header_ + std::string(journal_->bytes().substr(0, whole));
    const auto read = read_journal(entries, [this](int64_t now_ms, const command &c) {
      shadow_->take(now_ms, c, [this] { return options_.follow && journal_->waiting() > most_behind_; });
      // So that no more of either is kept than that.
      if (shadow_->lines_behind() >= lines_at_once && shadow_->lines_behind() % lines_at_once == 0) read_lines();
      tell_in_time();
    });
    journal_->take(whole);
    if (read) return std::nullopt;
    refusal why = read.why();
    why.where = options_.journal + ": " + why.where;
    return why;
  }

  void read_lines() {
    if (!lines_) return;
    while (shadow_->lines_ahead() == 0 && lines_->read_more(read_at_once)) {
      size_t end = 0;
      while ((end = lines_->bytes().find('\n')) != std::string_view::npos) {
        shadow_->hear(lines_->bytes().substr(0, end));
        lines_->take(end + 1);
      }
    }
  }

  void hear(const first_difference &one) {
    json::object found = object_of(one);
    if (options_.follow)
      say({{"other", std::move(found)}});
    else
      others_.emplace_back(std::move(found));
  }

  void hear(const unequal_decision &one) {
    if (options_.follow)
      say({{"unequal", object_of(one)}});
    else
      unequal_ = object_of(one);
  }

  void hear(const shadow_fault &one) {
    if (options_.follow)
      say({{"fault", object_of(one)}});
    else
      faults_.emplace_back(object_of(one));
  }

  void tell_in_time() {
    if (!options_.follow) return;
    const auto now = clock::now();
    if (now < next_told_) return;
    next_told_ = now + told_every;
    say({{"counts", object_of(shadow_->counts())}});
  }

  void say(const json::object &what) { out_ << json::serialize(what) << std::endl; }

  void finish() {
    const shadow_counts &c = shadow_->counts();
    const uint64_t unchecked = lines_ ? c.decisions - std::min(c.decisions, c.checked) : 0;
    if (options_.json) {
      json::object out = object_of(c);
      out["unchecked"] = unchecked;
      out["first_faults"] = std::move(faults_);
      out["first"] = std::move(others_);
      out["first_unequal"] = unequal_ ? json::value(*unequal_) : json::value(nullptr);
      say(out);
      return;
    }
    out_ << "played    " << c.commands << " commands, " << c.decisions << " decisions\ncompared  " << c.compared
         << " decisions, one after " << every_ << " each: " << c.same << " same, " << c.other() << " other, "
         << c.refused << " refused\n";
    if (lines_) out_ << "checked   " << c.checked << " decisions of the daemon: " << c.unequal << " unequal\n";
    if (unchecked != 0)
      out_ << "unchecked " << unchecked << " decisions: " << options_.decisions << " ends after " << c.checked
           << " of them\n";
    for (const json::value &one : faults_)
      out_ << "fault     of " << std::string(one.at("module").as_string()) << " in the shadow's "
           << std::string(one.at("where").as_string()) << ", after decision "
           << one.at("decision").to_number<uint64_t>() << ": " << std::string(one.at("text").as_string()) << '\n';
    if (unequal_)
      out_ << "unequal   decision " << unequal_->at("decision").to_number<uint64_t>()
           << "\n  daemon: " << std::string(unequal_->at("daemon").as_string())
           << "\n  replay: " << std::string(unequal_->at("replay").as_string()) << '\n';
    for (const json::value &one : others_)
      out_ << "other     decision " << one.at("decision").to_number<uint64_t>() << '\n'
           << std::string(one.at("text").as_string());
  }

  const shadow_options &options_;
  std::ostream &out_;
  uint64_t most_behind_ = 0, every_ = 0;
  std::optional<growing_file> journal_, lines_;
  std::string header_;
  std::unique_ptr<world_shadow> shadow_;
  json::array others_, faults_;
  std::optional<json::object> unequal_;
  clock::time_point next_told_;
};

}  // namespace

exit_code run_shadow(const shadow_options &options, std::ostream &out, std::ostream &err) {
  if (options.follow) stand_behind();
  try {
    if (const auto why = shadow_play(options, out).run()) {
      complain(err, *why);
      return exit_code::bad_input;
    }
  } catch (const std::exception &failed) {  // as memory that it does not get: another try may go well
    err << "tenon shadow: " << failed.what() << '\n';
    return exit_code::failed;
  }
  return exit_code::ok;
}

void add_shadow_command(CLI::App &app, chosen_command &chosen) {
  CLI::App *command =
      app.add_subcommand("shadow", "Play a journal, and ask the deployment's shadow what it would decide");
  auto o = std::make_shared<shadow_options>();
  command->add_option("JOURNAL", o->journal, "A journal, of --record")->required();
  command->add_option("-c,--deployment", o->deployment, "The deployment that it was recorded with, with a shadow")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--decisions", o->decisions, "The decisions that were recorded with it: the replay's are compared")
      ->type_name("FILE");
  command->add_option("--from", o->from, "Compare nothing before so many decisions")->type_name("N");
  command->add_option("--first", o->first, "How many differences are shown, the first ones")->capture_default_str();
  command->add_flag("--follow", o->follow, "Go on while the journal grows, and print JSON, several lines a second");
  command->add_flag("--json", o->json, "Print everything as JSON");
  command->add_option("--module-path", o->module_path, "Folder of modules that is searched besides")->type_name("DIR");
  command->footer(
      "Examples:\n"
      "  tenon shadow day.journal -c tenon.yaml\n"
      "  tenon shadow day.journal -c tenon.yaml --decisions day.decisions --json\n\n"
      "tenon serve runs it beside itself where the deployment has a shadow; tenon ctl shadow shows what it found.\n\n"
      "Exit codes: 0 played; 2 bad input, or a journal that is damaged.");
  command->callback([&chosen, o] {
    chosen = [o](std::istream &, std::ostream &out, std::ostream &err) {
      return static_cast<int>(run_shadow(*o, out, err));
    };
  });
}

}  // namespace tenon::cli
