// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// "p99(root.prod) +10%": how much worse side b may be before a comparison fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diff/named_figure.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon::cli {

class threshold {
 public:
  [[nodiscard]] static result<threshold> parse(std::string_view text);

  struct outcome {
    double a = 0, b = 0;
    bool passed = true;
  };
  // Refused where neither side has such a queue or type.
  [[nodiscard]] result<outcome> check(const window_figures &a, const window_figures &b) const;
  [[nodiscard]] const std::string &text() const { return text_; }

 private:
  threshold() = default;

  std::string text_;
  std::optional<named_figure> figure_;  // of one that was parsed there is one
  bool may_rise_ = true;                // by so much; else it may fall by so much
  bool in_percent_ = false;
  double by_ = 0;
};

}  // namespace tenon::cli
