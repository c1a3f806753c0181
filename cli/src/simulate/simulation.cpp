// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "simulate/simulation.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/borrowed.hpp"
#include "tenon/kernel/journal.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view rm_name = "load";
constexpr std::string_view partition_name = "[load]default";
constexpr int64_t start_ms = 1'700'000'000'000;
// Decisions between two looks at the clock of the terminal.
constexpr uint32_t step_decisions = 250;
// How long timers may go on changing something after the last event of a load.
constexpr int64_t settle_ms = 300'000;

bool is_request(termination why) {
  return why == termination::placeholder_replaced || why == termination::preempted_by_scheduler ||
         why == termination::timeout;
}

class run_of {
 public:
  run_of(const simulation &plan, session &on, tally &counted, const progress_listener &listen)
      : plan_(plan), load_(plan.what), on_(on), counted_(counted), listen_(listen) {
    for (uint32_t i = 0; i < load_.asks.size(); ++i) index_.emplace(load_.asks[i].key, i);
    order_.resize(load_.asks.size());
    std::iota(order_.begin(), order_.end(), 0U);
    if (plan_.mode == load_mode::replay) {
      std::stable_sort(order_.begin(), order_.end(),
                       [&](uint32_t a, uint32_t b) { return load_.asks[a].arrival_ms < load_.asks[b].arrival_ms; });
    }
    submitted_applications_.resize(load_.applications.size());
  }

  std::optional<std::string> run() {
    apply(register_rm{rm_name, "1", "default", &plan_.config});
    if (!refused_.empty()) return refused_;
    for (const load_node &node : load_.nodes) add(node);
    for (const left_out &group : load_.left_out_asks) counted_.leaves_out(group.reason, group.count);
    if (plan_.mode == load_mode::fill) {
      for (const uint32_t i : order_) submit(i);
      schedule();
    } else {
      replay();
    }
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

  void replay() {
    size_t next = 0;
    while (next < order_.size() || !endings_.empty()) {
      int64_t at = endings_.empty() ? INT64_MAX : endings_.top().at_ms;
      if (next < order_.size()) at = std::min(at, start_ms + load_.asks[order_[next]].arrival_ms);
      // A timer may come first, and may let something be placed that ends before that.
      if (follow_timers(at)) continue;
      now_ms_ = at;
      while (!endings_.empty() && endings_.top().at_ms == at) end_next();
      while (next < order_.size() && start_ms + load_.asks[order_[next]].arrival_ms == at) submit(order_[next++]);
      schedule();
      while (next == order_.size() && endings_.empty() && follow_timers(at + settle_ms)) {
      }
    }
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
      if (made < step_decisions && !confirm_releases()) return decided;
    }
  }

  void add(const load_node &node) {
    const borrowed_amounts capacity(node.capacity);
    const borrowed_texts attributes(node.attributes);
    apply(add_node{partition_name, node.id, capacity, {}, attributes, true, {}});
  }

  void submit(uint32_t index) {
    const load_ask &ask = load_.asks[index];
    if (!submitted_applications_[ask.application]) {
      submitted_applications_[ask.application] = true;
      const load_application &app = load_.applications[ask.application];
      const std::string &queue = plan_.queue.empty() ? app.queue : plan_.queue;
      apply(add_application{partition_name, app.id, queue, app.user, {}, {}, 0, {}, false});
    }
    ++submitted_;
    send(index);
  }

  void send(uint32_t index) {
    const load_ask &ask = load_.asks[index];
    const load_shape &shape = load_.shapes[ask.shape];
    const borrowed_amounts resources(shape.resources);
    const borrowed_texts tags(shape.tags);
    put_ask put;
    put.partition = partition_name;
    put.application = load_.applications[ask.application].id;
    put.key = ask.key;
    put.resources = resources;
    put.tags = tags;
    ++waiting_;
    apply(put);
  }

  void end_next() {
    const ending e = endings_.top();
    endings_.pop();
    if (live_[e.ask] == e.sequence) release_allocation(e.ask, e.sequence, termination::stopped_by_rm);
  }

  void release_allocation(uint32_t ask, uint64_t sequence, termination why) {
    live_.erase(ask);
    const std::string &application = load_.applications[load_.asks[ask].application].id;
    apply(release{partition_name, application, load_.asks[ask].key, sequence, 0, why, release_what::allocations});
  }

  // The RM does what it is asked; what was preempted is asked for once more. False: nothing was asked.
  bool confirm_releases() {
    if (requests_.empty()) return false;
    for (const auto &[ask, sequence, why] : std::exchange(requests_, {})) {
      release_allocation(ask, sequence, why);
      if (why == termination::preempted_by_scheduler) send(ask);
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
    if (d.kind == decision_kind::rm_rejected) refused_ = d.text;
    const auto found = index_.find(d.key);
    if (found == index_.end()) return;
    const uint32_t ask = found->second;
    if (d.kind == decision_kind::allocated) {
      --waiting_;
      live_[ask] = d.allocation_sequence;
      if (plan_.mode == load_mode::fill) return;
      endings_.push({d.now_ms + load_.asks[ask].duration_ms, placements_++, ask, d.allocation_sequence});
    } else if (d.kind == decision_kind::ask_rejected) {
      --waiting_;
    } else if (d.kind == decision_kind::released && is_request(d.why)) {
      requests_.emplace_back(ask, d.allocation_sequence, d.why);
    }
  }

  const simulation &plan_;
  const load &load_;
  session &on_;
  tally &counted_;
  const progress_listener &listen_;
  std::unordered_map<std::string_view, uint32_t> index_;  // of asks by key
  std::vector<uint32_t> order_;                           // of asks, as they arrive
  std::vector<bool> submitted_applications_;
  std::unordered_map<uint32_t, uint64_t> live_;  // ask -> sequence of its allocation
  std::priority_queue<ending, std::vector<ending>, std::greater<>> endings_;
  std::vector<std::tuple<uint32_t, uint64_t, termination>> requests_;
  uint64_t submitted_ = 0, placements_ = 0;
  int64_t waiting_ = 0;  // asks sent, neither placed nor refused
  int64_t now_ms_ = start_ms;
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
