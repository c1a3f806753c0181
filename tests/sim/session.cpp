// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <deque>
#include <iostream>

#include "command_text.hpp"
#include "compare.hpp"
#include "invariants.hpp"
#include "places.hpp"
#include "tenon/kernel/audit.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::sim {
namespace {

struct outcome {
  uint32_t made = 0;
  std::vector<std::string> lines;
};

// What a scheduler was told from outside, kept for the other one.
class kept_answers {
 public:
  void keep(std::span<const step_answer> answers) {
    texts_.clear();
    all_.assign(answers.begin(), answers.end());
    for (step_answer &a : all_) {
      for (std::string_view *text : {&a.fault.partition, &a.fault.policy, &a.fault.asks, &a.text}) {
        *text = texts_.emplace_back(*text);
      }
    }
  }
  [[nodiscard]] const std::vector<step_answer> &all() const { return all_; }

 private:
  std::vector<step_answer> all_;
  std::deque<std::string> texts_;
};

// `journal`: where the command is written to; null: nowhere.
outcome run(scheduler &s, int64_t now_ms, const command &c, const std::function<void(const decision_view &)> &note,
            std::string *journal = nullptr, kept_answers *answers = nullptr) {
  outcome out;
  out.made = s.apply(now_ms, c);
  if (journal != nullptr) append_entry(*journal, now_ms, c, s.answers());
  if (answers != nullptr) answers->keep(s.answers());
  s.drain([&](const decision_view &d) {
    out.lines.push_back(format(d));
    note(d);
  });
  return out;
}

// Both lists, the first difference marked.
std::string side_by_side(const std::string &what, const std::vector<std::string> &tested,
                         const std::vector<std::string> &reference, bool only_difference) {
  const auto [at, other] = std::mismatch(tested.begin(), tested.end(), reference.begin(), reference.end());
  const auto first = static_cast<size_t>(at - tested.begin());
  std::string out = what + " differ from line " + std::to_string(first + 1) + " on:\n";
  const auto list = [&](const char *title, const std::vector<std::string> &lines) {
    out += std::string("  ") + title + '\n';
    for (size_t i = only_difference ? first : 0; i < lines.size(); ++i) {
      if (only_difference && i > first + 5) break;
      out += (i == first ? "  > " : "    ") + lines[i] + '\n';
    }
    if (first >= lines.size()) out += "  > (end)\n";
  };
  list("tested:", tested);
  list("reference:", reference);
  return out;
}

std::string list_of(const char *title, const std::vector<std::string> &lines) {
  std::string out = std::string(title) + '\n';
  for (const std::string &line : lines) out += "  " + line + '\n';
  return out;
}

class player {
 public:
  player(const session_options &o, const make_scheduler &tested, const make_scheduler &reference)
      : options_(o),
        load_(o.seed, o.profile),
        tested_(tested(load_.about().compared)),
        reference_(reference(load_.about().compared)),
        journal_(journal_header("sim")) {
    out_.profile = load_.about().name;
  }

  session_result play(const make_scheduler &again) {
    kernel_snapshot seen = reference_->snapshot();
    while (out_.steps < options_.steps && out_.failure.empty()) {
      const bool new_step = !load_.in_a_crowd();
      const timed_command c = load_.next(seen);
      if (new_step) ++out_.steps;
      step(c);
      if (!out_.failure.empty()) break;
      if (load_.in_a_crowd()) continue;  // looked at as a whole
      seen = reference_->snapshot();
      if (out_.steps % options_.compare_every == 0) look(c, seen);
    }
    if (out_.failure.empty()) replay(again);
    for (const std::string &line : lines_) out_.lines += line + '\n';
    out_.journal = std::move(journal_);
    return std::move(out_);
  }

 private:
  void step(const timed_command &c) {
    if (options_.print) std::cout << out_.steps << " @" << c.now_ms << ' ' << text_of(c.what) << std::endl;
    const bool steps = std::holds_alternative<tenon::step>(c.what);
    ledger_.note(c.what);
    places_.note(c.what);
    const std::optional<int64_t> due = tested_->next_due();
    const bool fires = due && *due <= c.now_ms;
    const bool idle = steps && !fires && !tested_->has_work();
    bool unannounced = false;
    const auto note = [&](const decision_view &d) {
      ++out_.decisions;
      unannounced |= d.now_ms < c.now_ms && (!fires || d.now_ms < *due);
      if (d.kind() == decision_kind::allocated) ++out_.placed;
      ledger_.note(d, steps);
      places_.note(d);
    };
    const outcome mine = run(*tested_, c.now_ms, c.what, note, &journal_, &answers_);
    const command told = with_answers(c.what, answers_.all());
    for (const step_answer &a : answers_.all()) {
      if (a.what != step_answer::kind::policy_fault) continue;
      ++out_.faults;
      if (!options_.print) continue;
      std::cout << "    fault " << static_cast<int>(a.fault.what) << " of " << a.fault.asks << ", arrival "
                << a.fault.arrival << ", before decision " << a.at << std::endl;
    }
    const outcome its = run(*reference_, c.now_ms, told, [](const decision_view &) {});
    lines_.insert(lines_.end(), mine.lines.begin(), mine.lines.end());
    if (options_.print) {
      for (const std::string &line : its.lines) std::cout << "    " << line << std::endl;
    }
    if (mine.lines != its.lines) {
      fail(c, side_by_side("decisions", mine.lines, its.lines, false));
    } else if (mine.made != its.made) {
      fail(c,
           "decisions counted: tested " + std::to_string(mine.made) + ", reference " + std::to_string(its.made) + '\n');
    } else if (unannounced) {
      fail(c, "a timer fired before next_due()\n");
    } else if (idle && mine.made != 0) {
      fail(c, "a step decided although there was no work\n");
    }
  }

  void look(const timed_command &c, const kernel_snapshot &reference) {
    const kernel_snapshot tested = tested_->snapshot();
    const naive::features &compared = load_.about().compared;
    const auto mine = lines_of(tested, compared), its = lines_of(reference, compared);
    if (mine != its) return fail(c, side_by_side("snapshots", mine, its, true));
    std::vector<std::string> broken;
    for (const audit_finding &f : audit(tested)) broken.push_back(text_of(f));
    for (std::string &line : ledger_.broken(tested)) broken.push_back(std::move(line));
    if (options_.compare_every == 1) {
      for (std::string &line : places_.broken(tested)) broken.push_back(std::move(line));
    }
    for (std::string &line : tested_->told_wrong(tested)) broken.push_back(std::move(line));
    if (!broken.empty()) fail(c, list_of("invariants broken:", broken));
  }

  void replay(const make_scheduler &again) {
    const auto s = again(load_.about().compared);
    std::vector<std::string> lines;
    const auto read = read_journal(journal_, [&](int64_t now_ms, const command &c) {
      const outcome one = run(*s, now_ms, c, [](const decision_view &) {});
      lines.insert(lines.end(), one.lines.begin(), one.lines.end());
    });
    if (!read) {
      out_.failure = "the journal cannot be read: " + read.why().text() + '\n';
    } else if (lines != lines_) {
      out_.failure = side_by_side("decisions of the replayed journal", lines, lines_, true);
    }
  }

  void fail(const timed_command &c, const std::string &how) {
    out_.failure = "seed " + std::to_string(options_.seed) + " (" + out_.profile + "), step " +
                   std::to_string(out_.steps) + ", at " + std::to_string(c.now_ms) + ":\n  " + text_of(c.what) + '\n' +
                   how;
  }

  session_options options_;
  load load_;
  std::unique_ptr<scheduler> tested_, reference_;
  ledger ledger_;
  places places_;
  std::string journal_;
  kept_answers answers_;
  std::vector<std::string> lines_;
  session_result out_;
};

}  // namespace

session_result play(const session_options &options, const make_scheduler &tested, const make_scheduler &reference,
                    const make_scheduler &again) {
  return player(options, tested, reference).play(again);
}

}  // namespace tenon::sim
