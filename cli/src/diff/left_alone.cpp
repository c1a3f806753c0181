// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/left_alone.hpp"

#include <algorithm>
#include <deque>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tenon/kernel/partition_name.hpp"

namespace tenon::cli {
namespace {

// How long timers may go on changing something after the last event, besides those of placeholders.
constexpr int64_t timers_end_ms = 300'000;

}  // namespace

class left_alone_player {
 public:
  left_alone_player(const recorded_load &what, const side_configuration &how, session &on, side_run &out,
                    const watched_command &watched)
      : what_(what),
        how_(how),
        on_(on),
        out_(out),
        watched_(watched),
        now_ms_(what.first_ms),
        is_replaced_(how.config && how.from_ms <= what.first_ms) {
    for (size_t i = 0; i < what.inputs.size(); ++i) {
      const recorded_input &input = what.inputs[i];
      if (input.when == recorded_input::moment::after_start) {
        after_start_[input.application].push_back(&input);
      } else {
        timed_.push_back(&input);
      }
    }
  }

  std::optional<std::string> run() {
    do {
      while (!over_ && next_event() <= how_.until_ms && next_event() != INT64_MAX) {
        const int64_t at = next_event();
        if (follow_timers(at)) continue;
        last_event_ms_ = now_ms_ = at;
        if (waits_for_change() && how_.from_ms <= at) reload();
        while (!endings_.empty() && endings_.top().at_ms == at) end_next();
        while (next_ < timed_.size() && timed_[next_]->at_ms <= at) take(*timed_[next_++]);
        schedule();
      }
    } while (!over_ && follow_timers(end_of_timers()));
    if (!refused_change_.empty()) return refused_change_;
    if (registered_ || refused_.empty()) return std::nullopt;
    return refused_;
  }

 private:
  struct live_allocation {
    uint64_t sequence;
    int64_t placed_ms;
    size_t run;  // which of the recorded run times
  };
  struct ask_state {
    std::string name, partition, application, key;
    const std::vector<int64_t> *run_ms = nullptr;  // null: none is known
    std::vector<live_allocation> live;
    std::set<size_t> runs_given_back;
    size_t next_run = 0;
    uint32_t placements = 0;
    const recorded_input *put = nullptr;  // as it was sent last
  };
  struct ending {
    int64_t at_ms;
    uint64_t order;  // of placement: equal times end in this order
    ask_state *ask;
    uint64_t sequence;

    bool operator>(const ending &other) const { return std::tie(at_ms, order) > std::tie(other.at_ms, other.order); }
  };
  struct delayed {
    int64_t at_ms;
    uint64_t order;
    const recorded_input *input;

    bool operator>(const delayed &other) const { return std::tie(at_ms, order) > std::tie(other.at_ms, other.order); }
  };
  struct taken_back {
    ask_state *ask;
    uint64_t sequence;
    termination why;
  };

  [[nodiscard]] int64_t next_event() const {
    int64_t at = INT64_MAX;
    if (next_ < timed_.size()) at = std::max(timed_[next_]->at_ms, now_ms_);
    if (waits_for_change()) at = std::min(at, std::max(how_.from_ms, now_ms_));
    if (!endings_.empty()) at = std::min(at, endings_.top().at_ms);
    if (!delayed_.empty()) at = std::min(at, std::max(delayed_.top().at_ms, now_ms_));
    return at;
  }

  [[nodiscard]] int64_t end_of_timers() const {
    const int64_t end = last_event_ms_ + timers_end_ms + placeholder_timeout_ms_;
    return how_.until_ms < end ? how_.until_ms + 1 : end;
  }

  // Moves time from timer to timer before `until`. True as soon as one of them let something be decided.
  bool follow_timers(int64_t until) {
    while (!over_) {
      const auto due = on_.scheduler().next_due();
      if (!due || *due >= until) return false;
      now_ms_ = std::max(now_ms_, *due);
      apply(advance{});
      if (schedule() > 0) return true;
    }
    return false;
  }

  // Steps until nothing more can be decided now; how much was.
  uint64_t schedule() {
    uint64_t decided = 0;
    while (!over_) {
      if (watched_.every != 0 && out_.marks_.size() >= next_look_ && on_.scheduler().has_work() &&
          watched_.look(on_.scheduler(), now_ms_, recorded_)) {
        next_look_ = out_.marks_.size() + watched_.every;
      }
      const uint32_t made = apply(step{"", 1, {}});
      decided += made;
      if (over_ || (made == 0 && !react())) break;
    }
    return decided;
  }

  // The RM gives back what the scheduler wants, asks again for what was evicted, and does what starts bring. False:
  // there was nothing to do.
  bool react() {
    bool any = false;
    for (const taken_back &what : std::exchange(to_confirm_, {})) {
      any = true;
      apply(release{what.ask->partition, what.ask->application, what.ask->key, what.sequence, 0, what.why,
                    release_what::allocations});
      if (what.why == termination::preempted_by_scheduler && what.ask->put != nullptr) take(*what.ask->put);
    }
    while (!delayed_.empty() && delayed_.top().at_ms <= now_ms_) {
      const recorded_input *input = delayed_.top().input;
      delayed_.pop();
      any = true;
      take(*input);
    }
    return any;
  }

  void take(const recorded_input &input) {
    if (input.when == recorded_input::moment::after_runs && ends_[input.application] < input.runs) {
      removals_[input.application] = &input;
      return;
    }
    input.what.visit([&](const command &c) { std::visit([&](const auto &one) { send(input, one); }, c); });
  }

  void send(const recorded_input &, const auto &other) { apply(other); }

  void send(const recorded_input &, const register_rm &registered) {
    register_rm own = registered;
    own.config = configured(registered.rm, *registered.config);
    own.check_deadline_ms = 0;  // the RM agrees to everything
    if (is_replaced(registered.rm)) own.answers = {};
    rms_.insert(std::string(registered.rm));
    apply(own);
  }

  void send(const recorded_input &, const configure &change) {
    if (is_replaced(change.rm)) return;  // which holds from then on
    configure own = change;
    own.config = configured(change.rm, *change.config);
    apply(own);
  }

  void send(const recorded_input &, const add_application &add) {
    add_application own = add;
    const auto where = read_partition_name(add.partition);
    if (where && is_replaced(where->rm)) own.answers = {};  // of the recorded placement rules
    apply(own);
  }

  void send(const recorded_input &, const signal_rm &signal) {
    if (signal.signal == rm_signal::timeout || signal.signal == rm_signal::shutdown) {
      rms_.erase(std::string(signal.rm));
      recorded_.erase(std::string(signal.rm));
    }
    apply(signal);
  }

  [[nodiscard]] bool is_replaced(std::string_view rm) const {
    return is_replaced_ && (how_.rm.empty() || how_.rm == rm);
  }
  [[nodiscard]] bool waits_for_change() const { return how_.config && !is_replaced_; }

  void reload() {
    is_replaced_ = is_reloading_ = true;
    for (const std::string &rm : rms_)
      if (is_replaced(rm)) apply(configure{rm, configured(rm, *how_.config), {}});
    is_reloading_ = false;
    over_ |= !refused_change_.empty();
  }

  void send(const recorded_input &input, const put_ask &put) {
    const std::string application =
        put.application.empty() ? "@independent/" + std::string(put.key) : std::string(put.application);
    ask_at(put.partition, application, put.key).put = &input;
    if (put.placeholder && !put.task_group.empty()) {
      gangs_.asks_for_placeholder(application_name(put.partition, application));
    }
    apply(put);
  }

  void send(const recorded_input &, const release &r) {
    release own = r;
    if (!r.application.empty() && !r.key.empty() && r.what != release_what::allocations) {
      // Withdrawn: nobody knows how long it would have run, so it goes even where it has a place by now.
      const bool runs = what_.run_ms.contains(ask_name(r.partition, r.application, r.key));
      own.what = runs ? release_what::asks : release_what::both;
    }
    apply(own);
  }

  // Who counts looks at it once more with the next command.
  [[nodiscard]] const cluster_config *configured(std::string_view rm, const cluster_config &recorded) {
    recorded_[std::string(rm)] = recorded;
    cluster_config &out = configs_.emplace_back(is_replaced(rm) ? *how_.config : recorded);
    for (partition_config &partition : out.partitions) {
      if (!how_.node_sort.empty()) partition.node_sort.type = how_.node_sort;
      placeholder_timeout_ms_ = std::max(placeholder_timeout_ms_, partition.tuning.placeholder_timeout_ms);
    }
    return &out;
  }

  void end_next() {
    const ending e = endings_.top();
    endings_.pop();
    ask_state &ask = *e.ask;
    const auto found = std::find_if(ask.live.begin(), ask.live.end(),
                                    [&](const live_allocation &a) { return a.sequence == e.sequence; });
    if (found == ask.live.end()) return;
    apply(release{ask.partition, ask.application, ask.key, e.sequence, 0, termination::stopped_by_rm,
                  release_what::allocations});
    const std::string app = application_name(ask.partition, ask.application);
    const auto removal = removals_.find(app);
    if (removal == removals_.end() || ends_[app] < removal->second->runs) return;
    const recorded_input *input = removal->second;
    removals_.erase(removal);
    take(*input);
  }

  uint32_t apply(const command &c) {
    if (++applied_ == watched_.number) {
      watched_.before(on_.scheduler());
      over_ = true;  // after this one
    }
    out_.counted_.sees(now_ms_, c);
    return on_.apply(now_ms_, c, [this](const decision_view &d) {
      out_.counted_.hears(d);
      hear(d);
    });
  }

  void hear(const decision_view &d) {
    const std::string line = format(d);
    out_.marks_.push_back({std::hash<std::string>()(line), applied_});
    if (over_) out_.lines_.push_back(line);
    if (d.is(decision_kind::rm_rejected)) refused_ = text_of(d);
    if (is_reloading_ && d.is(decision_kind::configuration_rejected)) refused_change_ = text_of(d);
    registered_ |= d.is(decision_kind::rm_registered);
    if (d.is(decision_kind::allocated)) return hear_allocated(d);
    if (d.is(decision_kind::released)) return hear_released(d);
    if (const std::string started = gangs_.hears(d); !started.empty()) {
      for (const recorded_input *input : after_start_[started]) {
        delayed_.push({d.now_ms + input->at_ms, delays_++, input});
      }
    }
  }

  void hear_allocated(const decision_view &d) {
    ask_state &ask = ask_at(d.partition, d.application, d.key);
    size_t run = ask.next_run;
    if (ask.runs_given_back.empty()) {
      ++ask.next_run;
    } else {
      run = *ask.runs_given_back.begin();
      ask.runs_given_back.erase(ask.runs_given_back.begin());
    }
    ask.live.push_back({d.allocation_sequence, d.now_ms, run});
    out_.placements_.push_back({ask.name, ask.placements++, d.now_ms, std::string(d.node), std::string(d.queue)});
    if (ask.run_ms == nullptr || run >= ask.run_ms->size()) return;  // it goes on to the end
    endings_.push({d.now_ms + (*ask.run_ms)[run], placements_++, &ask, d.allocation_sequence});
  }

  void hear_released(const decision_view &d) {
    ask_state &ask = ask_at(d.partition, d.application, d.key);
    const auto found = std::find_if(ask.live.begin(), ask.live.end(),
                                    [&](const live_allocation &a) { return a.sequence == d.allocation_sequence; });
    if (found == ask.live.end()) return;
    const live_allocation was = *found;
    ask.live.erase(found);
    const cause why = reason_of(d)->why;
    if (why == cause::released_by_rm || why == cause::application_removed) {
      if (!d.placeholder) ++ends_[application_name(d.partition, d.application)];
      return;
    }
    ask.runs_given_back.insert(was.run);  // another one of it runs as long
    if (*end_of(d) == termination::preempted_by_scheduler) {
      out_.evictions_.push_back({d.now_ms, d.now_ms - was.placed_ms, std::string(d.queue)});
    }
    if (is_taken_back(d)) to_confirm_.push_back({&ask, d.allocation_sequence, *end_of(d)});
  }

  ask_state &ask_at(std::string_view partition, std::string_view application, std::string_view key) {
    const std::string name = ask_name(partition, application, key);
    const auto [at, fresh] = asks_.try_emplace(name);
    if (!fresh) return at->second;
    ask_state &ask = at->second;
    ask.name = name;
    ask.partition = partition;
    ask.application = application;
    ask.key = key;
    if (const auto runs = what_.run_ms.find(name); runs != what_.run_ms.end()) ask.run_ms = &runs->second;
    return ask;
  }

  const recorded_load &what_;
  const side_configuration &how_;
  session &on_;
  side_run &out_;
  const watched_command &watched_;
  std::vector<const recorded_input *> timed_;
  std::unordered_map<std::string, std::vector<const recorded_input *>> after_start_;  // by application
  std::unordered_map<std::string, const recorded_input *> removals_;                  // that wait, by application
  std::unordered_map<std::string, uint64_t> ends_;                                    // by application
  std::unordered_map<std::string, ask_state> asks_;
  std::priority_queue<ending, std::vector<ending>, std::greater<>> endings_;
  std::priority_queue<delayed, std::vector<delayed>, std::greater<>> delayed_;
  std::vector<taken_back> to_confirm_;
  gang_starts gangs_;
  std::deque<cluster_config> configs_;
  size_t next_ = 0;
  uint64_t placements_ = 0, delays_ = 0, applied_ = 0;
  int64_t now_ms_, last_event_ms_ = 0, placeholder_timeout_ms_ = 0;
  bool over_ = false, registered_ = false;
  bool is_replaced_ = false, is_reloading_ = false;  // the configuration
  std::set<std::string> rms_;
  configurations recorded_;
  uint64_t next_look_ = 0;
  std::string refused_, refused_change_;
};

std::optional<std::string> side_run::play(const recorded_load &what, const side_configuration &how,
                                          std::unique_ptr<engine> scheduler, session_sinks sinks,
                                          const watched_command &watched) {
  session on(std::move(scheduler), std::move(sinks));
  left_alone_player player(what, how, on, *this, watched);
  if (auto refused = player.run()) return refused;
  counted_.ends();
  summary_ = counted_.summary(on.scheduler().snapshot());
  step_decisions_ = on.step_decisions();
  step_seconds_ = on.step_seconds();
  return std::nullopt;
}

}  // namespace tenon::cli
