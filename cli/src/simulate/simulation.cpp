// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/arrivals.hpp"
#include "run/borrowed.hpp"
#include "tenon/kernel/journal.hpp"
#include "tenon/kernel/partition_name.hpp"
#include "tenon/kernel/quantity.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view rm_name = "load";
// Decisions between two looks at the clock of the terminal.
constexpr uint32_t step_decisions = 250;
// How long timers may go on changing something after the last event of a load, besides those of placeholders.
constexpr int64_t settle_ms = 300'000;
// All of a gang is one.
constexpr std::string_view task_group = "workers";

bool is_request(termination why) {
  return why == termination::placeholder_replaced || why == termination::preempted_by_scheduler ||
         why == termination::timeout;
}

class run_of {
 public:
  run_of(const simulation &plan, session &on, tally &counted, const progress_listener &listen)
      : plan_(plan),
        load_(plan.what),
        on_(on),
        counted_(counted),
        listen_(listen),
        gangs_(plan.what, plan.gangs),
        now_ms_(plan.what.begins_ms) {
    for (uint32_t i = 0; i < load_.asks.size(); ++i) index_.emplace(load_.asks[i].key, i);
    order_.resize(load_.asks.size());
    std::iota(order_.begin(), order_.end(), 0U);
    if (plan_.mode == load_mode::replay) {
      std::stable_sort(order_.begin(), order_.end(),
                       [&](uint32_t a, uint32_t b) { return load_.asks[a].arrival_ms < load_.asks[b].arrival_ms; });
    }
    submitted_applications_.resize(load_.applications.size());
    live_.resize(load_.asks.size());
  }

  std::optional<std::string> run() {
    apply(register_rm{rm_name, "1", "default", &plan_.config});
    if (!refused_.empty()) return refused_;
    for (const load_node &node : load_.nodes) add(node);
    for (const left_out &group : load_.left_out_jobs) counted_.skips(group.reason, group.count);
    if (plan_.mode == load_mode::fill) {
      for (const uint32_t i : order_) submit(i);
      schedule();
    } else if (plan_.mode == load_mode::arrive) {
      for (const uint32_t i : order_) arrive(i);
    } else {
      replay();
    }
    if (const std::string finding = gangs_in_part(); !finding.empty()) counted_.finds(finding);
    return std::nullopt;
  }

 private:
  struct ending {
    int64_t at_ms;
    uint64_t order;  // of placement: equal times end in this order
    uint32_t ask;
    uint64_t sequence;  // of the allocation

    bool operator>(const ending &other) const { return std::tie(at_ms, order) > std::tie(other.at_ms, other.order); }
  };

  // An allocation that the scheduler wants back, or that the RM has no use for.
  struct giving_back {
    uint32_t ask;
    bool placeholder;
    uint64_t sequence;
    termination why;
  };

  void replay() {
    size_t next = 0;
    while (next < order_.size() || !endings_.empty()) {
      int64_t at = endings_.empty() ? INT64_MAX : endings_.top().at_ms;
      if (next < order_.size()) at = std::min(at, load_.begins_ms + load_.asks[order_[next]].arrival_ms);
      // A timer may come first, and may let something be placed that ends before that.
      if (follow_timers(at)) continue;
      now_ms_ = at;
      while (!endings_.empty() && endings_.top().at_ms == at) end_next();
      while (next < order_.size() && load_.begins_ms + load_.asks[order_[next]].arrival_ms == at)
        submit(order_[next++]);
      schedule();
      while (next == order_.size() && endings_.empty() && follow_timers(at + settle_ms + placeholder_timeout_ms())) {
      }
    }
  }

  // Whoever comes later finds no ask that waits.
  void arrive(uint32_t index) {
    submit(index);
    schedule();
    counted_.arrives(gpus_of(load_, load_.asks[index]));
    if (waiting_ == 0) return;
    const load_ask &ask = load_.asks[index];
    const load_application &app = load_.applications[ask.application];
    counted_.leaves_out(
        {"no place when it arrived", app.id, plan_.queue.empty() ? app.queue : plan_.queue, now_ms_, 1});
    apply(release{partition_, app.id, ask.key, 0, 0, termination::stopped_by_rm, release_what::asks});
  }

  [[nodiscard]] int64_t placeholder_timeout_ms() const {
    if (plan_.gangs == gang_style::none) return 0;
    int64_t most = plan_.placeholder_timeout_ms;
    for (const partition_config &partition : plan_.config.partitions) {
      if (plan_.placeholder_timeout_ms == 0) most = std::max(most, partition.tuning.placeholder_timeout_ms);
    }
    return most;
  }

  // Moves time from timer to timer before `until`, while asks are waiting. True as soon as one of them let
  // something be decided.
  bool follow_timers(int64_t until) {
    while (waiting_ > 0) {
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
    for (;;) {
      const uint32_t made = apply(step{"", step_decisions, {}});
      decided += made;
      listen_(submitted_, counted_);
      if (made < step_decisions && !react()) return decided;
    }
  }

  void add(const load_node &node) {
    const borrowed_amounts capacity(node.capacity);
    const borrowed_texts attributes(node.attributes);
    apply(add_node{partition_, node.id, capacity, {}, attributes, true, {}});
  }

  void submit(uint32_t index) {
    const load_ask &ask = load_.asks[index];
    ++submitted_;
    const bool fresh = !submitted_applications_[ask.application];
    gang *in = gangs_.of_ask(index);
    if (fresh) {
      submitted_applications_[ask.application] = true;
      add_application_of(ask, in);
    }
    if (in == nullptr || in->asked) return send(index);
    if (in->ended) return;  // refused just now
    send_placeholder(index);
  }

  void add_application_of(const load_ask &ask, const gang *in) {
    const load_application &app = load_.applications[ask.application];
    const std::string &queue = plan_.queue.empty() ? app.queue : plan_.queue;
    amount_map whole;
    int64_t timeout_ms = 0;
    if (in != nullptr && !in->asked) {
      for (const auto &[type, amount] : load_.shapes[ask.shape].resources) whole[type] = amount * in->size;
      timeout_ms = plan_.placeholder_timeout_ms;
    }
    const borrowed_amounts placeholder_ask(whole);
    apply(add_application{
        partition_, app.id, queue, app.user, {}, {}, timeout_ms, placeholder_ask, plan_.gangs == gang_style::hard});
  }

  put_ask ask_for(uint32_t index, std::string_view key, amounts resources, texts tags) {
    const load_ask &ask = load_.asks[index];
    put_ask put;
    put.partition = partition_;
    put.application = load_.applications[ask.application].id;
    put.key = key;
    put.resources = resources;
    put.tags = tags;
    const gang *in = gangs_.of_ask(index);
    if (in != nullptr && plan_.gangs != gang_style::none) {
      // The workers were made with the application, whenever they are sent.
      put.task_group = task_group;
      if (plan_.mode == load_mode::replay) put.create_time_ms = load_.begins_ms + ask.arrival_ms;
    }
    return put;
  }

  void send(uint32_t index) {
    const load_shape &shape = load_.shapes[load_.asks[index].shape];
    const borrowed_amounts resources(shape.resources);
    const borrowed_texts tags(shape.tags);
    ++waiting_;
    apply(ask_for(index, load_.asks[index].key, resources, tags));
    note_duration(index, load_.asks[index].key);
  }

  void send_placeholder(uint32_t index) {
    const load_shape &shape = load_.shapes[load_.asks[index].shape];
    const borrowed_amounts resources(shape.resources);
    const borrowed_texts tags(shape.tags);
    put_ask put = ask_for(index, gangs_.placeholder_key(index), resources, tags);
    put.placeholder = true;
    ++waiting_;
    apply(put);
    note_duration(index, gangs_.placeholder_key(index));
  }

  void note_duration(uint32_t index, std::string_view key) {
    const load_ask &ask = load_.asks[index];
    if (plan_.mode == load_mode::replay) {
      counted_.lasts(partition_, load_.applications[ask.application].id, key, ask.duration_ms);
    }
  }

  void end_next() {
    const ending e = endings_.top();
    endings_.pop();
    if (live_[e.ask] == e.sequence) give_back({e.ask, false, e.sequence, termination::stopped_by_rm});
  }

  void give_back(const giving_back &what) {
    const load_ask &ask = load_.asks[what.ask];
    gang *in = gangs_.of_ask(what.ask);
    if (what.placeholder) {
      --in->placeholders;
    } else {
      live_[what.ask] = 0;
      if (in != nullptr) --in->placed;
    }
    apply(release{partition_, load_.applications[ask.application].id,
                  what.placeholder ? gangs_.placeholder_key(what.ask) : ask.key, what.sequence, 0, what.why,
                  release_what::allocations});
  }

  // The RM does what it is asked, asks once more for what was preempted, and for the workers of gangs whose
  // placeholders are placed or were given back. False: there was nothing to do.
  bool react() {
    if (to_give_back_.empty() && to_ask_.empty()) return false;
    for (const giving_back &what : std::exchange(to_give_back_, {})) {
      give_back(what);
      if (what.why == termination::preempted_by_scheduler) {
        what.placeholder ? send_placeholder(what.ask) : send(what.ask);
      }
    }
    for (gang *in : std::exchange(to_ask_, {})) {
      for (uint32_t i = in->first_ask; i < in->first_ask + in->size; ++i) send(i);
    }
    return true;
  }

  uint32_t apply(const command &c) {
    counted_.sees(now_ms_, c);
    return on_.apply(now_ms_, c, [this](const decision_view &d) {
      counted_.hears(d);
      hear(d);
    });
  }

  void hear(const decision_view &d) {
    if (d.is(decision_kind::rm_rejected)) refused_ = text_of(d);
    if (d.is(decision_kind::application_state) || d.is(decision_kind::application_rejected)) {
      if (gang *in = gangs_.of_application(d.application); in != nullptr) hear_gang(*in, d);
      return;
    }
    if (const auto found = index_.find(d.key); found != index_.end()) return hear_worker(found->second, d);
    if (const uint32_t *ask = gangs_.ask_of_placeholder(d.key); ask != nullptr) hear_placeholder(*ask, d);
  }

  void hear_gang(gang &in, const decision_view &d) {
    if (in.asked || in.ended) return;
    if (d.is(decision_kind::application_rejected)) {
      return leave_out(in, d, "the gang was refused: " + text_of(d));
    }
    const application_state now = std::get<decided::application_state>(d.what).state;
    in.resuming |= now == application_state::resuming;
    if (now == application_state::starting || now == application_state::running ||
        (in.resuming && now == application_state::accepted)) {
      in.asked = true;
      to_ask_.push_back(&in);
    } else if (now == application_state::failing) {
      leave_out(in, d, "the gang was not placed in time");
    }
  }

  void leave_out(gang &in, const decision_view &d, const std::string &reason) {
    in.ended = true;
    const std::string &queue = load_.applications[in.application].queue;
    counted_.leaves_out({reason, std::string(d.application), d.queue.empty() ? queue : std::string(d.queue),
                         load_.begins_ms + load_.asks[in.first_ask].arrival_ms, in.size});
  }

  // Gangs that hold a part of what they need when nothing happens any more; "" where there are none.
  [[nodiscard]] std::string gangs_in_part() const {
    uint64_t gangs = 0, placed = 0, lacking = 0;
    amount_map held;
    gangs_.for_each([&](const gang &in) {
      if (in.started || in.resuming || in.ended || in.placed == 0 || in.placed == in.size) return;
      ++gangs;
      placed += in.placed;
      lacking += in.size - in.placed;
      for (const auto &[type, amount] : load_.shapes[load_.asks[in.first_ask].shape].resources) {
        held[type] += amount * in.placed;
      }
    });
    if (gangs == 0) return {};
    std::string what;
    for (const auto &[type, amount] : held)
      what += (what.empty() ? "" : ", ") + type + " " + format_quantity(type, amount);
    return fmt::format(
        "{} {} placed in part and cannot start: {} of their workers hold {} and wait for {} more, and {} workers in "
        "all wait. What they hold is never free again: --gangs soft asks for whole gangs",
        gangs, gangs == 1 ? "gang is" : "gangs are", placed, what, lacking, waiting_);
  }

  void hear_worker(uint32_t ask, const decision_view &d) {
    if (d.is(decision_kind::allocated)) {
      --waiting_;
      live_[ask] = d.allocation_sequence;
      start(ask, d.now_ms);
    } else if (d.is(decision_kind::ask_rejected) || d.is(decision_kind::ask_released)) {
      --waiting_;
    } else if (const auto *gone = d.as<decided::released>(); gone != nullptr && is_request(gone->end)) {
      to_give_back_.push_back({ask, false, d.allocation_sequence, gone->end});
    }
  }

  void hear_placeholder(uint32_t ask, const decision_view &d) {
    if (d.is(decision_kind::allocated)) {
      --waiting_;
      ++gangs_.of_ask(ask)->placeholders;
      placeholder_of_[ask] = d.allocation_sequence;
    } else if (d.is(decision_kind::ask_rejected) || d.is(decision_kind::ask_released)) {
      --waiting_;
    } else if (const auto *gone = d.as<decided::released>(); gone != nullptr && is_request(gone->end)) {
      placeholder_of_.erase(ask);
      to_give_back_.push_back({ask, true, d.allocation_sequence, gone->end});
    }
  }

  // A worker was placed: it runs from now on, or with all of its gang when it is the last of them.
  void start(uint32_t ask, int64_t now_ms) {
    gang *in = gangs_.of_ask(ask);
    if (in != nullptr) {
      ++in->placed;
      if (in->has_spare_placeholder()) {
        if (const auto spare = placeholder_of_.find(ask); spare != placeholder_of_.end()) {
          to_give_back_.push_back({ask, true, spare->second, termination::stopped_by_rm});
          placeholder_of_.erase(spare);
        }
      }
    }
    if (plan_.mode != load_mode::replay) return;
    if (in == nullptr || in->started || in->resuming) return end_after(ask, now_ms);
    if (in->placed < in->size) return;
    in->started = true;
    for (uint32_t i = in->first_ask; i < in->first_ask + in->size; ++i) end_after(i, now_ms);
  }

  void end_after(uint32_t ask, int64_t now_ms) {
    endings_.push({now_ms + load_.asks[ask].duration_ms, placements_++, ask, live_[ask]});
  }

  const std::string partition_ = full_partition_name(rm_name, "default");
  const simulation &plan_;
  const load &load_;
  session &on_;
  tally &counted_;
  const progress_listener &listen_;
  gang_book gangs_;
  std::unordered_map<std::string_view, uint32_t> index_;  // of asks by key
  std::vector<uint32_t> order_;                           // of asks, as they arrive
  std::vector<bool> submitted_applications_;
  std::vector<uint64_t> live_;                             // by ask: sequence of its allocation, 0: none
  std::unordered_map<uint32_t, uint64_t> placeholder_of_;  // ask -> sequence of the placeholder that runs
  std::priority_queue<ending, std::vector<ending>, std::greater<>> endings_;
  std::vector<giving_back> to_give_back_;
  std::vector<gang *> to_ask_;  // for their workers
  uint64_t submitted_ = 0, placements_ = 0;
  int64_t waiting_ = 0;  // asks sent, neither placed nor refused
  int64_t now_ms_;
  std::string refused_;
};

}  // namespace

std::optional<std::string> simulation::run(session &on, tally &counted, const progress_listener &listen) const {
  return run_of(*this, on, counted, listen).run();
}

result<uint64_t> replay_journal(std::string_view bytes, session &on, tally &counted, const progress_listener &listen) {
  uint64_t submitted = 0;
  return read_journal(bytes, [&](int64_t now_ms, const command &c) {
    if (std::holds_alternative<put_ask>(c)) ++submitted;
    counted.sees(now_ms, c);
    on.apply(now_ms, c, [&](const decision_view &d) { counted.hears(d); });
    listen(submitted, counted);
  });
}

}  // namespace tenon::cli
