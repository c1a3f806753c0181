// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What a side of a comparison comes to, in all and in windows of equal length. docs/diff.md defines each figure.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "diff/left_alone.hpp"
#include "simulate/spread.hpp"

namespace tenon::cli {

// What both sides are measured with.
struct measure {
  std::string type;                   // of fragmentation: the one that is used most
  amount_map member;                  // of the largest group: the commonest ask that takes of that type
  int64_t first_ms = 0, last_ms = 0;  // what came before is not measured, and what was asked for before does not count
  size_t windows = 1;

  // The last moment of a window; the first window also has first_ms itself.
  [[nodiscard]] int64_t end_of(size_t window) const {
    return first_ms + (last_ms - first_ms) * static_cast<int64_t>(window + 1) / static_cast<int64_t>(windows);
  }
  [[nodiscard]] size_t window_of(int64_t at_ms) const;
};

struct evicted_figures {
  uint64_t count = 0;
  double lost_s = 0;  // that the evicted had run
};

struct window_figures {
  double from_s = 0, to_s = 0;
  std::map<std::string, spread> waits;  // by queue, of what was asked for in it
  spread all_waits;
  uint64_t placed = 0;
  std::map<std::string, evicted_figures> evicted;  // by queue
  evicted_figures all_evicted;
  std::map<std::string, double> use;     // by type, parts of the capacity, on average
  std::map<std::string, double> shares;  // by queue, dominant, on average; of the whole run alone
  double jain = std::nan("");            // of dominant shares, on average; NaN: nobody had or wanted anything
  // At its end; of the whole run the average over the ends of windows. NaN: nothing was free.
  double scattered = std::nan("");
  double group = 0;
};

struct side_figures {
  window_figures whole;
  std::vector<window_figures> windows;
};

// `a` decides what is measured; both say how long.
[[nodiscard]] measure measure_of(const side_run &a, const side_run &b, size_t windows);
// That takes of the type, placeholders left out.
[[nodiscard]] amount_map commonest_ask(const timeline &changes, const std::string &type);
[[nodiscard]] side_figures figure_side(const side_run &run, const measure &by);

// Returns the keys that one of the maps has, in order.
template <class Value>
[[nodiscard]] std::set<std::string> names_of_both(const std::map<std::string, Value> &a,
                                                  const std::map<std::string, Value> &b) {
  std::set<std::string> out;
  for (const auto *of : {&a, &b}) {
    for (const auto &[name, value] : *of) out.insert(name);
  }
  return out;
}

}  // namespace tenon::cli
