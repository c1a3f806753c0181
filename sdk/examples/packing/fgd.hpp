// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Fragmentation gradient descent (Weng et al., USENIX ATC 2023): where the free GPUs that typical asks cannot use grow
// the least. What asks look like is configuration, and the same for as long as the instance lives: no column has it.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "question.hpp"

namespace packing {

// A typical ask: `VCORE GPU WEIGHT`, and where it names models `VCORE GPU WEIGHT MODEL|MODEL`.
class typical_ask {
 public:
  explicit typical_ask(const std::string &text) {
    std::string_view rest = text;
    double gpu = 0;
    if (!number(rest, vcore_) || !number(rest, gpu) || !number(rest, weight_)) {
      throw invalid_config("shapes: want \"VCORE GPU WEIGHT\" or \"VCORE GPU WEIGHT MODELS\", have \"" + text + "\"");
    }
    count_ = std::max<int64_t>(1, static_cast<int64_t>(gpu) / whole);
    each_ = std::min(static_cast<int64_t>(gpu), whole);
    if (!rest.empty()) models_ = '|' + std::string(rest) + '|';
  }

  // What it cannot use of the GPUs that are free, counted as often as it comes.
  [[nodiscard]] double lost(int64_t vcore, const gpus &free, std::string_view model) const {
    const auto all = free.free();
    const auto fits = [this](int64_t gpu) { return gpu >= each_; };
    const bool usable = each_ > 0 && static_cast<double>(vcore) >= vcore_ && runs_on(model) &&
                        std::count_if(all.begin(), all.end(), fits) >= count_;
    int64_t out = 0;
    for (const int64_t gpu : all) out += usable && fits(gpu) ? 0 : gpu;
    return weight_ * static_cast<double>(out);
  }

 private:
  // The next of several numbers with blanks between them.
  static bool number(std::string_view &rest, double &to) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), to);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    const bool ends = rest.empty() || rest.front() == ' ';
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return error == std::errc() && ends && to >= 0 && to < 1e12;
  }

  [[nodiscard]] bool runs_on(std::string_view model) const {
    return models_.empty() || (!model.empty() && models_.find('|' + std::string(model) + '|') != std::string::npos);
  }

  double vcore_ = 0, weight_ = 0;
  int64_t count_ = 0, each_ = 0;
  std::string models_;  // with | around each; empty: any
};

struct fgd : chooser {
  static constexpr std::string_view name = "packing-fgd";
  static constexpr uint32_t order_rev = 2;

  explicit fgd(const config &settings) {
    for (const std::string &shape : settings.texts("shapes", {})) shapes_.emplace_back(shape);
  }

  uint64_t key(const auto &node) const { return score(node).key; }
  with_devices<uint64_t> score(const auto &node) const {
    const question q = read(node);
    const double before = lost(q.vcore, q.free, q.model);
    const auto points = [&](const gpus &after) {
      const double grows = lost(q.vcore - q.wanted_vcore, after, q.model) - before;
      return static_cast<int64_t>(100 / (1 + std::exp(grows / whole)));
    };
    if (chooses(q, node)) return best_gpu(q, points);
    gpus after = q.free;
    if (q.wanted_gpu > 0 && !after.take(q.count(), q.each())) return {best_first(0), 0};
    return {best_first(points(after)), 0};
  }

 private:
  // The first of those with the most points.
  static with_devices<uint64_t> best_gpu(const question &q, const auto &points) {
    const auto free = q.free.free();
    int64_t most = -1;
    uint64_t best = 0;
    for (size_t i = 0; i < free.size(); ++i) {
      const auto earlier = free.first(i);
      const bool is_alike = std::find(earlier.begin(), earlier.end(), free[i]) != earlier.end();
      if (free[i] < q.wanted_gpu || is_alike) continue;
      gpus after = q.free;
      after.take_of(i, q.wanted_gpu);
      const int64_t has = points(after);
      if (has <= most) continue;
      most = has;
      best = uint64_t{1} << i;
    }
    return {best_first(std::max<int64_t>(most, 0)), best};
  }

  [[nodiscard]] double lost(int64_t vcore, const gpus &free, std::string_view model) const {
    double sum = 0;
    for (const typical_ask &shape : shapes_) sum += shape.lost(vcore, free, model);
    return sum;
  }

  std::vector<typical_ask> shapes_;
};

}  // namespace packing
