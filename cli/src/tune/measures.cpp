// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tune/measures.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>

#include "run/formats.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view curve = "allocation";
constexpr std::array<std::string_view, 3> counts{"gpus_placed", "placed", "pending"};
constexpr size_t most_percent = 10'000;

}  // namespace

std::optional<fill_measure> fill_measure::parse(std::string_view text) {
  fill_measure out;
  if (std::find(counts.begin(), counts.end(), text) != counts.end()) {
    out.key_ = text;
    return out;
  }
  if (!text.starts_with(std::string(curve) + "(") || text.back() != ')') return std::nullopt;
  out.key_ = curve;
  const std::string_view digits = text.substr(curve.size() + 1, text.size() - curve.size() - 2);
  size_t percent = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  if (wrong != std::errc() || end != digits.data() + digits.size() || percent > most_percent) return std::nullopt;
  out.percent_ = percent;
  return out;
}

double fill_measure::value_in(const boost::json::object &summary) const {
  const boost::json::value *found = summary.if_contains(key_);
  if (found == nullptr) return std::nan("");
  if (!percent_) return found->to_number<double>();
  const auto &points = found->as_array();
  return points.empty() ? std::nan("") : points[std::min(*percent_, points.size() - 1)].to_number<double>();
}

std::string known_fill_measures() {
  std::string out = "allocation(PERCENT)";
  for (const std::string_view one : counts) out += ", " + std::string(one);
  return out;
}

std::string shown_measure(double value, figure_unit unit) {
  if (std::isnan(value)) return "-";
  if (unit == figure_unit::parts) return decimal(value * 100, 2) + "%";
  return unit == figure_unit::seconds ? decimal(value, 1) + " s" : decimal(value, 4);
}

}  // namespace tenon::cli
