// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A load: nodes, applications and asks with the times at which they come and how long they run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tenon/kernel/queue_config.hpp"

namespace tenon::cli {

struct load_node {
  std::string id;
  amount_map capacity;
  std::map<std::string, std::string> attributes;
};

struct load_application {
  std::string id, queue, user;
  // Its asks are alike, follow each other in the load, start together and end together.
  bool gang = false;
};

// What one allocation takes and which nodes it may use; asks share shapes.
struct load_shape {
  amount_map resources;
  std::map<std::string, std::string> tags;
};

struct load_ask {
  std::string key;           // unique in the load
  uint32_t application = 0;  // index
  uint32_t shape = 0;        // index
  int64_t arrival_ms = 0;    // from the start of the load
  int64_t duration_ms = 0;   // from its placement
};

// What the source of a load has but nobody is asked for.
struct left_out {
  std::string reason;
  uint64_t count = 0;
};

// When a load begins that says nothing of dates.
inline constexpr int64_t no_date_ms = 1'700'000'000'000;

struct load {
  std::string origin;  // one line: what it is and where it is from
  int64_t begins_ms = no_date_ms;
  std::vector<load_node> nodes;
  std::vector<load_application> applications;
  std::vector<load_shape> shapes;
  std::vector<load_ask> asks;           // in the order of submission where they arrive at once
  std::vector<left_out> left_out_jobs;  // they cannot be played: no size, no duration
};

// Gives equal shapes one index.
class shape_table {
 public:
  // Adds to the shapes of `into`, which has none of its own.
  explicit shape_table(load &into) : into_(into) {}

  uint32_t index_of(const load_shape &shape);

 private:
  load &into_;
  std::map<std::pair<amount_map, std::map<std::string, std::string>>, uint32_t> known_;
};

// A leaf queue for each queue of the load below an open root.
[[nodiscard]] cluster_config default_config(const load &of);

// Ids that do not repeat, indexes that exist, times from 0 on, gangs of equal asks side by side: what a loader
// promises.
[[nodiscard]] bool is_consistent(const load &of);

}  // namespace tenon::cli
