// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What points are measured by: figures of a journal's load, or of a fill.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/named_figure.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

inline constexpr size_t most_measures = 8;

// Of a summary as `tenon simulate --json` prints it, of asks that arrived one after the other.
class fill_measure {
 public:
  // "allocation(130)", "gpus_placed", "placed", "pending"; nothing where it is none.
  [[nodiscard]] static std::optional<fill_measure> parse(std::string_view text);

  [[nodiscard]] double value_in(const boost::json::object &summary) const;
  [[nodiscard]] figure_unit unit() const { return percent_ ? figure_unit::parts : figure_unit::number; }
  [[nodiscard]] bool is_better_low() const { return key_ == "pending"; }
  // When so many per cent of the GPUs are asked for; nothing: at the end.
  [[nodiscard]] std::optional<size_t> arrived() const { return percent_; }

 private:
  fill_measure() = default;

  std::string key_;
  std::optional<size_t> percent_;
};

[[nodiscard]] std::string known_fill_measures();

struct measure_words {
  std::string name;
  figure_unit unit;
  bool better_low;
};

// As people read it: "12.3 s", "96.14%", "-" where there is none.
[[nodiscard]] std::string shown_measure(double value, figure_unit unit);

// All of the texts, or the first that is none; of `known`, with commas between.
template <class Measure>
[[nodiscard]] result<std::vector<Measure>> parse_measures(const std::vector<std::string> &texts,
                                                          const std::string &known) {
  std::vector<Measure> out;
  for (const std::string &text : texts) {
    const auto one = Measure::parse(text);
    if (!one) return refusal{"--measure", "one of " + known, "'" + text + "'", "name one of these"};
    out.push_back(*one);
  }
  if (out.size() > most_measures) {
    return refusal{"--measure", "at most " + std::to_string(most_measures), std::to_string(out.size()),
                   "choose those that matter"};
  }
  return out;
}

}  // namespace tenon::cli
