// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/threshold.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace tenon::cli {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

result<threshold> threshold::parse(std::string_view text) {
  const refusal no{"--fail-if", "FIGURE(QUEUE) +10%, with a figure of " + known_figures(),
                   "'" + std::string(text) + "'",
                   "name what may change, and by how much: 'p99(root.prod) +10%', 'jain -0.05'"};
  threshold out;
  out.text_ = without_blanks(text);
  std::string_view rest = out.text_;
  const size_t sign = rest.find_last_of("+-");
  if (sign == std::string_view::npos) return no;
  std::string_view name = without_blanks(rest.substr(0, sign));
  std::string_view amount = without_blanks(rest.substr(sign + 1));
  out.may_rise_ = rest[sign] == '+';
  if (!amount.empty() && amount.back() == '%') {
    out.in_percent_ = true;
    amount = without_blanks(amount.substr(0, amount.size() - 1));
  }
  const auto [end, wrong] = std::from_chars(amount.data(), amount.data() + amount.size(), out.by_);
  if (wrong != std::errc() || end != amount.data() + amount.size() || !std::isfinite(out.by_)) return no;
  const auto figure = named_figure::parse(name);
  if (!figure) return no;
  out.figure_ = *figure;
  return out;
}

result<threshold::outcome> threshold::check(const window_figures &a, const window_figures &b) const {
  const auto of_a = figure_->value_in(a), of_b = figure_->value_in(b);
  if (!of_a && !of_b) {
    return refusal{"--fail-if", "a queue or resource type that one of the runs has", "'" + text_ + "'",
                   "look into the tables without --fail-if"};
  }
  outcome out{of_a.value_or(0), of_b.value_or(0), true};
  if (std::isnan(out.a) || std::isnan(out.b)) return out;  // one has no such figure: nothing to compare
  const double may = in_percent_ ? std::abs(out.a) * by_ / 100 : by_;
  out.passed = may_rise_ ? out.b <= out.a + may : out.b >= out.a - may;
  return out;
}

}  // namespace tenon::cli
