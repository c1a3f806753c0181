// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "base/name_pattern_set.hpp"

#include <algorithm>

namespace tenon::pattern {

std::optional<ranges> perl_set(char letter) {
  const auto set = [&]() -> std::optional<ranges> {
    switch (letter) {
      case 'd':
      case 'D':
        return ranges{{'0', '9'}};
      case 's':
      case 'S':
        return ranges{{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
      case 'w':
      case 'W':
        return ranges{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
      default:
        return std::nullopt;
    }
  }();
  const bool negated = letter >= 'A' && letter <= 'Z';
  return set && negated ? complement(*set) : set;
}

std::optional<ranges> posix_set(std::string_view name) {
  struct named_set {
    std::string_view name;
    ranges set;
  };
  static const named_set sets[] = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 0x7F}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  for (const named_set &candidate : sets) {
    if (candidate.name == name) return candidate.set;
  }
  return std::nullopt;
}

void add(ranges &to, const ranges &more) { to.insert(to.end(), more.begin(), more.end()); }

void fold_case(ranges &set) {
  const size_t count = set.size();
  for (size_t i = 0; i < count; ++i) {
    const auto range = set[i];
    const auto fold = [&](char32_t first, char32_t last, int32_t distance) {
      const char32_t low = std::max(range.first, first), high = std::min(range.second, last);
      if (low <= high) {
        set.emplace_back(low + static_cast<char32_t>(distance), high + static_cast<char32_t>(distance));
      }
    };
    fold('a', 'z', 'A' - 'a');
    fold('A', 'Z', 'a' - 'A');
  }
}

void normalise(ranges &set) {
  std::sort(set.begin(), set.end());
  ranges out;
  for (const auto &range : set) {
    if (!out.empty() && range.first <= out.back().second + 1) {
      out.back().second = std::max(out.back().second, range.second);
    } else {
      out.push_back(range);
    }
  }
  set = std::move(out);
}

ranges complement(ranges set) {
  normalise(set);
  ranges out;
  char32_t next = 0;
  for (const auto &[from, to] : set) {
    if (from > next) out.emplace_back(next, from - 1);
    next = to + 1;
  }
  if (next <= last_character) out.emplace_back(next, last_character);
  return out;
}

}  // namespace tenon::pattern
