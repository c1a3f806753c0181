// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Foresight: what a placement takes from the asks that come, as one generation has them. Made anew when the columns say
// something else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_taking.hpp"
#include "seen.hpp"
#include "waste.hpp"

namespace gpu_pack_module {

// What the columns said.
class kept_generation {
 public:
  [[nodiscard]] bool is(const generation &g) const {
    return same(counts_, g.counts) && same(amounts_, g.amounts) && same(totals_, g.totals) && same(tags_, g.tags) &&
           same(values_, g.values);
  }
  void keep(const generation &g) {
    counts_.assign(g.counts.begin(), g.counts.end());
    amounts_.assign(g.amounts.begin(), g.amounts.end());
    totals_.assign(g.totals.begin(), g.totals.end());
    keep(g.tags, tags_);
    keep(g.values, values_);
  }

 private:
  using texts = std::vector<std::optional<std::string>>;
  static bool same(const std::vector<int64_t> &a, std::span<const int64_t> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  static bool same(const texts &a, const tenon::sdk::text_list &b) {
    bool out = a.size() == b.size();
    for (size_t i = 0; out && i < a.size(); ++i) out = a[i] == b[i];
    return out;
  }
  static void keep(const tenon::sdk::text_list &from, texts &to) {
    to.clear();
    for (uint64_t i = 0; i < from.size(); ++i) to.emplace_back(from[i]);
  }

  std::vector<int64_t> counts_, amounts_, totals_;
  texts tags_, values_;
};

class foresight {
 public:
  // `parts`: of what asks bring along, what a free device is expected to need, by the name of the type. `asks_ahead`:
  // how many of those that come may fill what is left of a device.
  foresight(std::string divided, std::map<std::string, double> parts, int64_t asks_ahead)
      : divided_(std::move(divided)), parts_(std::move(parts)), asks_ahead_(asks_ahead) {}

  // Before the nodes of a batch are looked at.
  void look(const generation &now, const auto &nodes) {
    const uint32_t types_before = types_;
    for (; types_ < nodes.type_count(); ++types_) name_type(std::string(nodes.type_name(types_)));
    if (types_before == types_ && kept_.is(now)) return;
    kept_.keep(now);
    seen_.read(now, device_);
    wastes_.clear();
    pressures_.clear();
    for (uint64_t i = 0; i < now.values.size(); ++i) {
      if (const auto model = now.values[i]) pressures_.emplace(*model, seen_.pressure(*model));
    }
    for (expected_beside &one : expected_) one.of_a_unit = one.part * seen_.beside(one.type);
  }
  // Before a node with devices of the size is.
  void expect_size(int64_t size) {
    if (size > 0) wastes_.try_emplace(size, seen_.sizes(), size, asks_ahead_);
  }

  [[nodiscard]] uint32_t device() const { return device_; }

  // What more of devices with these free would never be used.
  [[nodiscard]] double wasted(std::span<const int64_t> free, int64_t each, int64_t size) const {
    const waste &of_size = wastes_.at(size);
    double sum = 0;
    for (const int64_t one : free) sum += of_size.of(one - each) - of_size.of(one);
    return sum;
  }

  [[nodiscard]] double pressure(std::optional<std::string_view> model) const {
    const auto known = model ? pressures_.find(*model) : pressures_.end();
    return known == pressures_.end() ? 0 : known->second;
  }

  // What is free on devices beyond what the rest of the node can serve once the ask has its part of it.
  [[nodiscard]] double stranded(int64_t on_devices, const tenon::sdk::amounts &free,
                                const tenon::sdk::amounts &ask) const {
    double largest = 0;
    for (const expected_beside &one : expected_) {
      if (one.of_a_unit <= 0) continue;
      const auto rest = static_cast<double>(add_saturating(free[one.type], -ask[one.type]));
      largest = std::max(largest, static_cast<double>(on_devices) - rest / one.of_a_unit);
    }
    return largest;
  }

 private:
  struct expected_beside {
    uint32_t type;
    double part;
    double of_a_unit;  // that a unit of a free device is expected to need of it
  };

  void name_type(const std::string &type) {
    if (type == divided_) device_ = types_;
    const auto part = parts_.find(type);
    if (part != parts_.end() && part->second > 0) expected_.push_back({types_, part->second, 0});
  }

  const std::string divided_;
  const std::map<std::string, double> parts_;
  const int64_t asks_ahead_;
  uint32_t types_ = 0;                     // that were named so far
  uint32_t device_ = TENON_MAX_TYPES;      // the divided one; beyond all: nobody has named it yet
  std::vector<expected_beside> expected_;  // in the order of types

  // Of one generation.
  kept_generation kept_;
  seen seen_;
  std::map<int64_t, waste> wastes_;                       // by the size of devices
  std::map<std::string, double, std::less<>> pressures_;  // by model
};

}  // namespace gpu_pack_module
