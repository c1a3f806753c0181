// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What all six policies read: a node with its GPUs, and the ask for which it is scored. Cores and GPUs are in
// thousandths; a GPU is 1000.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "tenon/sdk/sort_policy.hpp"

namespace packing {

using namespace tenon::sdk;

constexpr int64_t whole = 1000;
constexpr size_t most_gpus = 64;

// What each GPU of a node has free. A copy: policies think allocations away and to it.
class gpus {
 public:
  gpus() = default;
  explicit gpus(std::span<const int64_t> free) : count_(std::min(free.size(), most_gpus)) {
    for (size_t i = 0; i < count_; ++i) free_[i] = std::clamp<int64_t>(free[i], 0, whole);
  }

  [[nodiscard]] std::span<const int64_t> free() const { return {free_.data(), count_}; }
  [[nodiscard]] int64_t sum() const { return std::accumulate(free().begin(), free().end(), int64_t{0}); }
  [[nodiscard]] int64_t idle() const { return std::count(free().begin(), free().end(), whole); }

  // Takes `each` of `count` GPUs, of those with enough the ones with the least free, as the scheduler does; what they
  // had before, or nothing where there are too few.
  std::optional<gpus> take(int64_t count, int64_t each) {
    const std::span<int64_t> all(free_.data(), count_);
    std::sort(all.begin(), all.end());
    const auto enough = all.subspan(static_cast<size_t>(std::lower_bound(all.begin(), all.end(), each) - all.begin()));
    if (std::ssize(enough) < count) return std::nullopt;
    const auto taken = enough.first(static_cast<size_t>(count));
    gpus before(taken);
    for (int64_t &free : taken) free -= each;
    return before;
  }
  void take_of(size_t gpu, int64_t amount) { free_[gpu] -= amount; }

 private:
  std::array<int64_t, most_gpus> free_{};
  size_t count_ = 0;
};

struct question {
  int64_t vcore, memory;  // free
  gpus free;
  std::string_view model;
  int64_t wanted_vcore, wanted_gpu;

  [[nodiscard]] int64_t count() const { return std::clamp<int64_t>(wanted_gpu / whole, 1, most_gpus); }
  [[nodiscard]] int64_t each() const { return std::min(wanted_gpu, whole); }
};

// The base of the policies: what is read of a row.
class reader {
 public:
  static constexpr std::tuple columns{resources_column{"node.free"}, numbers_column{"node.devices:gpu"},
                                      text_column{"node.attr:si/gpu-model"},
                                      resources_column{"ask.resources", scope::context}};

  void begin(const auto &nodes) {
    for (; types_seen_ < nodes.type_count(); ++types_seen_) {
      const std::string_view name = nodes.type_name(types_seen_);
      (name == "vcore" ? vcore_ : name == "memory" ? memory_ : name == "gpu" ? gpu_ : other_) = types_seen_;
    }
  }

 protected:
  // Without an ask nothing is wanted.
  [[nodiscard]] question read(const auto &node) const {
    const amounts free = node.template get<0>(), ask = node.template get<3>();
    return {amount(free, vcore_),         amount(free, memory_),
            gpus(node.template get<1>()), node.template get<2>().value_or(""),
            amount(ask, vcore_),          amount(ask, gpu_)};
  }

 private:
  // So far from the limits of the type that sums of a few do not overflow.
  static int64_t amount(const amounts &of, uint32_t type) { return std::clamp<int64_t>(of[type], 0, int64_t{1} << 50); }

  uint32_t types_seen_ = 0;
  uint32_t vcore_ = TENON_MAX_TYPES, memory_ = TENON_MAX_TYPES, gpu_ = TENON_MAX_TYPES, other_ = TENON_MAX_TYPES;
};

// The base of those that choose the GPU of a share themselves. Whole GPUs are all alike, and a tag that wants parts of
// several is the scheduler's.
class chooser : public reader {
 public:
  static constexpr std::tuple columns = std::tuple_cat(
      reader::columns,
      std::tuple{number_column{"ask.devices:gpu", scope::context}, number_column{"score.devices:gpu", scope::context}});

 protected:
  static bool chooses(const question &q, const auto &node) {
    return q.wanted_gpu > 0 && q.wanted_gpu < whole && node.template get<4>() <= 1;
  }
};

// Published scores are whole numbers from 0 to 100, more is better; equal ones go by the node's id, as keys do.
[[nodiscard]] inline uint64_t best_first(double score) { return descending(static_cast<int64_t>(score)); }

// The largest node, which scores are measured by.
constexpr double most_vcore = 128'000, most_gpu = 8000;

}  // namespace packing
