// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What if these asks came now: placed where, evicting whom, or waiting for what. Answered on a copy of the partition.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/explain.hpp"
#include "tenon/kernel/kernel.hpp"
#include "tenon/kernel/refusal.hpp"
#include "tenon/observe/most_copied.hpp"

namespace tenon::observe {

struct asked_if {
  std::string key;  // empty: one is made up
  amount_map resources;
  int32_t count = 1;  // allocations
  int32_t priority = 0;
  std::string priority_class;
  std::map<std::string, std::string> tags;
  std::string task_group, required_node;
  bool preempts = false;  // others may give way to it
  bool gives_way = true;  // to others
};

// Of one application: one that is there, by its id, or else a new one.
struct application_if {
  std::string application;  // empty: a new one, for which an id is made up
  std::string queue, user = "nobody";
  std::vector<std::string> groups;
  std::map<std::string, std::string> tags;
  bool gang = false;  // a new one whose asks are the placeholders of a gang
  std::vector<asked_if> asks;
};

struct what_if_question {
  std::string partition;  // "[rm]name"; "name" or nothing where one partition alone can be meant
  std::vector<application_if> applications;
  int64_t now_ms = 0;          // Unix; before the kernel's time: that one
  int64_t within_ms = 60'000;  // how far time goes on in the copy until all are placed
};

enum class what_if_outcome : uint8_t {
  placed,    // all of it, and nobody gives way for it
  evicts,    // all of it, when others have given way
  waits,     // some of it is not placed within the time
  refused,   // the application or the ask
  undecided  // too much happens before
};
[[nodiscard]] std::string_view name(what_if_outcome);

struct placed_if {
  std::string node, devices;
  int64_t after_ms = 0;  // from the question's time
  friend bool operator==(const placed_if &, const placed_if &) = default;
};
struct evicted_if {
  std::string application, key, node, queue;
  int64_t after_ms = 0;
  friend bool operator==(const evicted_if &, const evicted_if &) = default;
};

struct ask_answer {
  std::string application, key;
  std::string queue;  // the leaf; empty: the application is refused
  what_if_outcome what = what_if_outcome::waits;
  int32_t count = 0;
  std::vector<placed_if> placed;
  std::vector<evicted_if> victims;
  std::string message;             // of what is refused: why
  std::optional<explanation> why;  // of what waits
};

struct what_if_answer {
  std::string partition;
  int64_t now_ms = 0;
  int64_t passed_ms = 0;   // that went by in the copy
  uint64_t decisions = 0;  // that were made in it, for others as well
  bool checks = false;     // the RM has a say in every placement: it was taken to agree
  std::vector<ask_answer> asks;
  std::string text;  // all of it in words
};

// What a question may make happen before it is undecided: decisions, and times at which something is due.
inline constexpr uint64_t most_decisions_if = 10'000, most_moments_if = 10'000;
inline constexpr uint64_t most_explained_if = 2;  // asks that wait, in a partition of most_copied objects or fewer

// What is wrong with a question whatever the state is.
[[nodiscard]] std::optional<refusal> problem_of(const what_if_question &question);
// The partition that is meant; refused where that is not a single one.
[[nodiscard]] result<named_partition> partition_meant(const kernel &live, const std::string &name);

// On the thread that has the kernel, which stays as it is: only its copy costs it anything. In the copy its RM does at
// once what it is told, and nothing else: what is to end ends, and placements that it checks from then on are accepted.
// Refused where no single partition is meant, or nothing is asked for. What waits is explained for the first few asks.
[[nodiscard]] result<what_if_answer> answer_what_if(const kernel &live, const what_if_question &question);

struct what_if_terms {
  bool checks = false;                       // as kernel::has_checks() of what was copied
  const std::atomic<bool> *stops = nullptr;  // once true, nobody wants the answer any more
};
// The same on a copy that was made for this question, which is another one after it. On the thread that has the copy.
[[nodiscard]] what_if_answer try_on(kernel &copy, const what_if_question &question, const named_partition &where,
                                    const what_if_terms &terms);

}  // namespace tenon::observe
