// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "report.hpp"

namespace tenon::bench {

double calibrate() {
  constexpr size_t cells = 1U << 17;  // of 8 bytes
  std::vector<uint64_t> ring(cells);
  std::iota(ring.begin(), ring.end(), uint64_t{0});
  std::mt19937_64 random(1);
  for (size_t i = cells - 1; i > 0; --i) std::swap(ring[i], ring[random() % i]);  // one cycle through all cells
  constexpr uint64_t turns = 4'000'000;
  double best = 1e9;
  for (int repetition = 0; repetition < 5; ++repetition) {
    uint64_t at = 0, sum = 0;
    const auto from = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < turns; ++i) {
      at = ring[at];
      sum += at > cells / 2 ? at : sum >> 1;
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - from;
    volatile uint64_t keep = sum;
    (void)keep;
    best = std::min(best, passed.count() / turns);
  }
  return best;
}

}  // namespace tenon::bench
