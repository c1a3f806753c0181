// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What partitions share: the clock, the timers and the decisions made so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "features.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/messages.hpp"

namespace tenon::naive {

struct partition;

// A decision that owns its names.
struct decision {
  uint64_t sequence = 0;
  int64_t now_ms = 0;
  decision_kind kind = decision_kind::allocated;
  termination why = termination::unknown;
  bool placeholder = false;
  uint64_t allocation_sequence = 0;
  std::string rm, partition, application, key, node, queue, text, detail;

  // With the words that the oracle has for it: what the kernel makes of its causes has to read the same.
  [[nodiscard]] decision_view view() const;
};

enum class timer_kind : uint8_t {
  application_state,
  application_execution,
  allocation_execution,
  placeholders,
  left_over_placeholders,
  reservation_wait,
  check,
  quota,
  drain,
  cleaner
};

struct timer {
  int64_t due_ms = 0;
  uint64_t creation = 0;
  timer_kind kind = timer_kind::application_state;
  partition *where = nullptr;
  uint64_t application = 0;  // uid
  uint64_t allocation = 0;   // sequence; of a check the number of the proposal
  uint64_t reservation = 0;  // id
  std::string queue = {};    // path

  // By due time, then by creation; the cleaner comes after all others of its time.
  [[nodiscard]] bool before(const timer &other) const {
    if (due_ms != other.due_ms) return due_ms < other.due_ms;
    const bool cleans = kind == timer_kind::cleaner, other_cleans = other.kind == timer_kind::cleaner;
    return cleans != other_cleans ? other_cleans : creation < other.creation;
  }
};

struct world {
  kernel_options options;
  features has;
  rm_check check;              // empty: the resource manager agrees with everything
  rm_check reservation_check;  // of those that answer proposals; false: no answer yet
  int64_t now_ms = 0;
  std::span<const step_answer> told;  // with the command: what failed
  uint64_t next_decision = 1, next_timer = 1, next_uid = 1;
  uint32_t partitions_made = 0;
  // What administrators stopped and did not start since, whether the objects are there or not.
  struct stops {
    object_state partition = object_state::active;
    std::set<std::string> queues, nodes;
  };
  std::map<std::string, stops> stopped;  // by [rm]name
  std::vector<timer> timers;
  std::vector<decision> outbox;

  decision &emit(decision_kind kind, std::string rm) {
    decision &d = outbox.emplace_back();
    d.sequence = next_decision++;
    d.now_ms = now_ms;
    d.kind = kind;
    d.rm = std::move(rm);
    return d;
  }

  void arm(timer t) {
    t.creation = next_timer++;
    timers.push_back(t);
  }

  template <class Which>
  void disarm(Which &&which) {
    std::erase_if(timers, which);
  }

  // Takes out the first timer that is due.
  std::optional<timer> take_due(int64_t now) {
    auto first = timers.end();
    for (auto t = timers.begin(); t != timers.end(); ++t) {
      if (t->due_ms <= now && (first == timers.end() || t->before(*first))) first = t;
    }
    if (first == timers.end()) return std::nullopt;
    const timer out = *first;
    timers.erase(first);
    return out;
  }
};

}  // namespace tenon::naive
