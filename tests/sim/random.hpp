// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same in every build: a seed is a test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tenon::sim {

class random {
 public:
  // Mixed twice: seeds side by side must not be the same numbers from another start.
  explicit random(uint64_t seed) : state_(seed) { state_ = next() ^ (seed << 32); }

  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  // Both ends included.
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  bool percent(int64_t chance) { return between(0, 99) < chance; }

  template <class T>
  const T &one_of(const std::vector<T> &from) {
    return from[static_cast<size_t>(between(0, static_cast<int64_t>(from.size()) - 1))];
  }
  std::string one_of(std::initializer_list<const char *> from) {
    return *(from.begin() + between(0, static_cast<int64_t>(from.size()) - 1));
  }

 private:
  uint64_t state_;
};

}  // namespace tenon::sim
