// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/recorded_load.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "run/scheduler_session.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::cli {
namespace {

constexpr char between_names = '\x1f';  // in no name

std::string_view application_of_ask(std::string_view application, std::string_view key, std::string &room) {
  if (!application.empty()) return application;
  room = "@independent/" + std::string(key);
  return room;
}

class load_reader {
 public:
  void sees(int64_t now_ms) {
    if (out_.commands++ == 0) out_.first_ms = now_ms;
    out_.last_ms = now_ms_ = std::max(now_ms_, now_ms);
    ended_ = withdrawn_ = 0;
  }

  void hears(const decision_view &d) {
    if (d.is(decision_kind::allocated)) {
      live_[ask_name(d.partition, d.application, d.key)].push_back({d.allocation_sequence, d.now_ms, placements_++});
    } else if (d.is(decision_kind::ask_released)) {
      ++withdrawn_;
    } else if (d.is(decision_kind::released)) {
      hears_released(d);
    } else if (const std::string started = gangs_.hears(d); !started.empty()) {
      started_ms_[started] = d.now_ms;
    }
  }

  // After its decisions.
  void keeps(const command &c) {
    std::visit([this](const auto &one) { keep(one); }, c);
  }

  recorded_load take() && {
    for (auto &[ask, runs] : runs_) {
      std::vector<int64_t> &of = out_.run_ms[ask];
      for (const auto &[placed, ran_ms] : runs) of.push_back(ran_ms);
    }
    return std::move(out_);
  }

 private:
  struct live_allocation {
    uint64_t sequence;
    int64_t placed_ms;
    uint64_t placement;
  };

  void hears_released(const decision_view &d) {
    const std::string ask = ask_name(d.partition, d.application, d.key);
    const auto of = live_.find(ask);
    if (of == live_.end()) return;
    const auto found = std::find_if(of->second.begin(), of->second.end(),
                                    [&](const auto &a) { return a.sequence == d.allocation_sequence; });
    if (found == of->second.end()) return;
    const live_allocation was = *found;
    of->second.erase(found);
    const cause why = reason_of(d)->why;
    if (why == cause::released_by_rm || why == cause::application_removed) {
      runs_[ask].emplace(was.placement, d.now_ms - was.placed_ms);
      ++ended_;
      if (!d.placeholder) ++ends_[application_name(d.partition, d.application)];
    } else if (*end_of(d) == termination::preempted_by_scheduler) {
      evicted_.insert(ask);
    }
  }

  void add(const command &c) { out_.inputs.push_back({now_ms_, kept_command(c)}); }

  void keep(const auto &other) { add(other); }
  // What follows from placements, or makes them.
  void keep(const step &) {}
  void keep(const advance &) {}
  void keep(const inspect &) {}
  void keep(const check_answer &answer) { out_.refused_checks += !answer.accepted; }
  void keep(const check_again &) {}
  void keep(const checks_delivered &) {}

  void keep(const put_ask &put) {
    std::string room;
    const std::string_view application = application_of_ask(put.application, put.key, room);
    const std::string app = application_name(put.partition, application);
    if (evicted_.erase(ask_name(put.partition, application, put.key)) > 0) {
      ++out_.asked_again;
      return;
    }
    if (put.task_group.empty()) return add(put);
    if (put.placeholder) {
      gangs_.asks_for_placeholder(app);
      return add(put);
    }
    const auto started = started_ms_.find(app);
    if (!gangs_.is_gang(app) || started == started_ms_.end()) return add(put);
    out_.inputs.push_back({now_ms_ - started->second, kept_command(put), recorded_input::moment::after_start, app, 0});
  }

  void keep(const remove_application &gone) {
    const std::string app = application_name(gone.partition, gone.application);
    out_.inputs.push_back({now_ms_, kept_command(gone), recorded_input::moment::after_runs, app, ends_[app]});
  }

  void keep(const release &r) {
    if (r.what != release_what::asks && r.why == termination::scheduling_failed) {
      ++out_.bind_failures;
      return;
    }
    if (withdrawn_ > 0 || r.what == release_what::asks) {
      release asks = r;
      if (ended_ > 0) asks.what = release_what::asks;
      return add(asks);
    }
    if (ended_ > 0) return;                                      // its run time says when
    if (r.application.empty() && !r.key.empty()) return add(r);  // perhaps a foreign one
    const bool confirms = r.why == termination::preempted_by_scheduler || r.why == termination::timeout ||
                          r.why == termination::placeholder_replaced;
    if (!confirms) ++out_.unmatched;
  }

  recorded_load out_;
  int64_t now_ms_ = 0;
  uint64_t placements_ = 0;
  uint64_t ended_ = 0, withdrawn_ = 0;  // by the command that runs
  gang_starts gangs_;
  std::unordered_map<std::string, std::vector<live_allocation>> live_;
  std::unordered_map<std::string, std::map<uint64_t, int64_t>> runs_;  // by placement
  std::unordered_map<std::string, uint64_t> ends_;                     // by application
  std::unordered_map<std::string, int64_t> started_ms_;                // gangs
  std::unordered_set<std::string> evicted_;                            // asks, since they were sent last
};

}  // namespace

kept_command::kept_command(const command &c) : journal_(journal_header("kept")) { append_entry(journal_, 0, c); }

void kept_command::visit(const std::function<void(const command &)> &take) const {
  const auto read = read_journal(journal_, [&](int64_t, const command &c) { take(c); });
  static_cast<void>(read);  // this build wrote it
}

std::string application_name(std::string_view partition, std::string_view application) {
  std::string out(partition);
  out += between_names;
  out += application;
  return out;
}

std::string ask_name(std::string_view partition, std::string_view application, std::string_view key) {
  std::string out = application_name(partition, application);
  out += between_names;
  out += key;
  return out;
}

bool is_taken_back(const decision_view &released) {
  const termination end = *end_of(released);
  return reason_of(released)->why != cause::released_by_rm &&
         (end == termination::placeholder_replaced || end == termination::preempted_by_scheduler ||
          end == termination::timeout);
}

std::string gang_starts::hears(const decision_view &d) {
  const auto *moved = d.as<decided::application_state>();
  if (moved == nullptr || gangs_.empty()) return {};
  std::string app = application_name(d.partition, d.application);
  if (!gangs_.contains(app) || started_.contains(app)) return {};
  if (moved->state == application_state::resuming) resuming_.insert(app);
  const bool starts = moved->state == application_state::starting || moved->state == application_state::running ||
                      (moved->state == application_state::accepted && resuming_.contains(app));
  if (!starts) return {};
  started_.insert(app);
  return app;
}

result<recorded_load> read_recorded_load(std::string_view journal, std::unique_ptr<engine> scheduler) {
  session on(std::move(scheduler), {});
  load_reader reader;
  const auto read = read_journal(journal, [&](int64_t now_ms, const command &c) {
    reader.sees(now_ms);
    on.apply(now_ms, c, [&](const decision_view &d) { reader.hears(d); });
    reader.keeps(c);
  });
  if (!read) return read.why();
  return std::move(reader).take();
}

}  // namespace tenon::cli
