// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/closest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tenon {
namespace {

constexpr size_t longest_word = 64;  // longer ones are not compared: nobody mistypes those

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Costs count half steps, so that a wrong letter case costs one and any other edit two.
size_t substitution_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? 1 : 2;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
size_t edit_cost(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> before_last(width), last(width), current(width);
  for (size_t j = 0; j < width; ++j) last[j] = 2 * j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = 2 * i;
    for (size_t j = 1; j < width; ++j) {
      current[j] = std::min({last[j] + 2, current[j - 1] + 2, last[j - 1] + substitution_cost(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 2);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

}  // namespace

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  std::string_view best;
  size_t best_cost = std::numeric_limits<size_t>::max();
  for (const std::string_view candidate : candidates) {
    const size_t longer = std::max(word.size(), candidate.size()), shorter = std::min(word.size(), candidate.size());
    if (longer - shorter > longer / 3) continue;  // more letters missing than may be wrong
    const size_t cost = edit_cost(word, candidate);
    if (cost < best_cost) {
      best = candidate;
      best_cost = cost;
    }
  }
  // A third of the letters may be wrong; a word in the wrong letter case alone always qualifies.
  const size_t allowed = std::max<size_t>(2, 2 * std::max(word.size(), best.size()) / 3);
  const bool same_letters =
      best.size() == word.size() &&
      std::equal(word.begin(), word.end(), best.begin(), [](char a, char b) { return lower(a) == lower(b); });
  return best_cost <= allowed || same_letters ? best : std::string_view{};
}

}  // namespace tenon
