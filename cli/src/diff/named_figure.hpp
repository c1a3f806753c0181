// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// "p99(root.prod)": a figure by its name, and which of two values is the better one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "diff/figures.hpp"

namespace tenon::cli {

enum class figure_unit : uint8_t { seconds, parts, number };

class named_figure {
 public:
  // Nothing where it is none.
  [[nodiscard]] static std::optional<named_figure> parse(std::string_view text);

  // Nothing where the run has no such queue or type; NaN where it has no such figure.
  [[nodiscard]] std::optional<double> value_in(const window_figures &of) const;
  [[nodiscard]] figure_unit unit() const;
  [[nodiscard]] bool is_better_low() const;

 private:
  named_figure() = default;

  size_t which_ = 0;
  std::string of_;  // a queue or a type
};

// The names of the figures, with commas between.
[[nodiscard]] std::string known_figures();

}  // namespace tenon::cli
