// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Shadows of policies: what a deployment says of one, and what came of its calls.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/host/module_configuration.hpp"

namespace tenon::host {

// `shadow` of a module's entry: a module that is asked whatever this one is asked, and decides nothing.
struct call_shadow_use {
  std::string use;   // module id
  std::string name;  // of one of its implementations; empty: the only one of the kind, or the one that is called alike
  configuration config;
  std::chrono::milliseconds call_deadline{100};
  bool in_process = false;   // it is one of the project's own, and lives in the scheduler's process
  uint64_t faults = 3;       // after which it is switched off
  config::text_position at;  // of `use`
};

// order: of two items the one comes first here, and the other there; tie: they are equal for one of the two alone;
// time: an item is left out until another time; verdict: of a predicate; queue: of a placement rule; devices: chosen by
// an order of nodes.
enum class shadow_difference_kind : uint8_t { order, tie, time, verdict, queue, devices };
inline constexpr std::array<std::string_view, 6> shadow_difference_names{"order",   "tie",   "time",
                                                                         "verdict", "queue", "devices"};

struct shadow_difference {
  shadow_difference_kind kind = shadow_difference_kind::order;
  int64_t at_ms = 0;                 // of the journal
  std::string slot;                  // keys, score, filter, place
  std::string of;                    // the queue whose items they are, or the ask that they are for; may be empty
  std::vector<std::string> objects;  // one, or two: as the first orders them
  std::string first, shadow;         // what each said of them
};

// "order of n-1 and n-2 ({vcore: 1000}): keys ...; the shadow: keys ...".
[[nodiscard]] std::string words_of(const shadow_difference &one);

// Of all instances of one policy.
struct call_shadow_status {
  std::string module, version, kind, name;          // the first
  std::string shadow, shadow_version, shadow_name;  // the shadow; a module id, its version, and a name
  uint64_t calls = 0;                               // that were answered and compared
  uint64_t items = 0;                               // in them
  uint64_t skipped = 0;                             // not asked, since its process was not there
  uint64_t faults = 0;
  uint64_t spent_ns = 0;   // by the scheduler, for the shadow
  uint64_t forgotten = 0;  // how often what was kept for comparison was given up
  std::array<uint64_t, shadow_difference_names.size()> differences{};  // by kind
  std::vector<shadow_difference> first_differences;                    // the first eight
  std::string last_fault;                                              // in words
  std::string off;                                                     // why it is switched off; empty: it is not

  [[nodiscard]] uint64_t all_differences() const {
    uint64_t sum = 0;
    for (const uint64_t one : differences) sum += one;
    return sum;
  }
};

}  // namespace tenon::host
