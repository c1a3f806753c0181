// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/named_figure.hpp"

#include <algorithm>
#include <array>

namespace tenon::cli {
namespace {

enum class figure_argument : uint8_t { none, queue, type };

struct known_figure {
  std::string_view name;
  figure_argument argument;
  figure_unit unit;
  bool better_low;
  double (*of)(const window_figures &, const spread &waits, const evicted_figures &evicted);
};

using figures_of = const window_figures &;
constexpr std::array known{
    known_figure{"p50", figure_argument::queue, figure_unit::seconds, true,
                 [](figures_of, const spread &w, const evicted_figures &) { return w.p50.value; }},
    known_figure{"p90", figure_argument::queue, figure_unit::seconds, true,
                 [](figures_of, const spread &w, const evicted_figures &) { return w.p90.value; }},
    known_figure{"p99", figure_argument::queue, figure_unit::seconds, true,
                 [](figures_of, const spread &w, const evicted_figures &) { return w.p99.value; }},
    known_figure{"never_placed", figure_argument::queue, figure_unit::number, true,
                 [](figures_of, const spread &w, const evicted_figures &) { return static_cast<double>(w.open); }},
    known_figure{"evictions", figure_argument::queue, figure_unit::number, true,
                 [](figures_of, const spread &, const evicted_figures &e) { return static_cast<double>(e.count); }},
    known_figure{"lost", figure_argument::queue, figure_unit::seconds, true,
                 [](figures_of, const spread &, const evicted_figures &e) { return e.lost_s; }},
    known_figure{"use", figure_argument::type, figure_unit::parts, false, nullptr},
    known_figure{"jain", figure_argument::none, figure_unit::number, false,
                 [](figures_of f, const spread &, const evicted_figures &) { return f.jain; }},
    known_figure{"scattered", figure_argument::none, figure_unit::parts, true,
                 [](figures_of f, const spread &, const evicted_figures &) { return f.scattered; }},
    known_figure{"group", figure_argument::none, figure_unit::number, false,
                 [](figures_of f, const spread &, const evicted_figures &) { return f.group; }},
    known_figure{"placed", figure_argument::none, figure_unit::number, false,
                 [](figures_of f, const spread &, const evicted_figures &) { return static_cast<double>(f.placed); }},
};

}  // namespace

std::string known_figures() {
  std::string out;
  for (const known_figure &one : known) out += (out.empty() ? "" : ", ") + std::string(one.name);
  return out;
}

std::optional<named_figure> named_figure::parse(std::string_view text) {
  named_figure out;
  std::string_view name = text;
  if (const size_t open = text.find('('); open != std::string_view::npos) {
    if (text.back() != ')') return std::nullopt;
    out.of_ = text.substr(open + 1, text.size() - open - 2);
    name = text.substr(0, open);
  }
  const auto *found =
      std::find_if(known.begin(), known.end(), [&](const known_figure &one) { return one.name == name; });
  if (found == known.end() || (found->argument == figure_argument::none && !out.of_.empty()) ||
      (found->argument == figure_argument::type && out.of_.empty())) {
    return std::nullopt;
  }
  out.which_ = static_cast<size_t>(found - known.begin());
  return out;
}

figure_unit named_figure::unit() const { return known.at(which_).unit; }
bool named_figure::is_better_low() const { return known.at(which_).better_low; }

std::optional<double> named_figure::value_in(const window_figures &of) const {
  const known_figure &figure = known.at(which_);
  if (figure.argument == figure_argument::type) {
    const auto found = of.use.find(of_);
    return found == of.use.end() ? std::nullopt : std::optional(found->second);
  }
  if (of_.empty()) return figure.of(of, of.all_waits, of.all_evicted);
  const auto waits = of.waits.find(of_);
  const auto evicted = of.evicted.find(of_);
  if (waits == of.waits.end() && evicted == of.evicted.end()) return std::nullopt;
  return figure.of(of, waits == of.waits.end() ? spread() : waits->second,
                   evicted == of.evicted.end() ? evicted_figures() : evicted->second);
}

}  // namespace tenon::cli
