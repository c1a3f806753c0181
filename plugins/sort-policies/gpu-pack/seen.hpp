// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What asks looked like, as the columns of a generation say it: sums that the policy needs, in whole numbers, so that
// the order of the shapes does not matter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/sdk/sort_policy.hpp"

namespace gpu_pack_module {

__extension__ using wide = unsigned __int128;

inline double as_double(wide value) { return static_cast<double>(value); }

// A map that is given replaces the default whole; one without entries is as none.
inline std::map<std::string, double> parts_expected(const tenon::sdk::config &settings) {
  const std::map<std::string, double> usual{{"vcore", 0.8}, {"memory", 0.8}};
  auto given = settings.numbers("resourceweights", usual);
  return given.empty() ? usual : given;
}

// "A|B" names A and B.
inline bool names(std::string_view models, std::string_view wanted) {
  for (;;) {
    const size_t end = models.find('|');
    if (models.substr(0, end) == wanted) return true;
    if (end == std::string_view::npos) return false;
    models.remove_prefix(end + 1);
  }
}

// The five columns.
struct generation {
  std::span<const int64_t> counts, amounts;
  tenon::sdk::text_list tags, values;
  std::span<const int64_t> totals;
};

// Rows of equal length, one after the other.
class rows {
 public:
  rows(std::span<const int64_t> all, uint64_t count) : all_(all), length_(count == 0 ? 0 : all.size() / count) {}
  // 0 where there is none, or less.
  [[nodiscard]] uint64_t at(uint64_t row, uint32_t type) const {
    return type < length_ ? static_cast<uint64_t>(std::max<int64_t>(0, all_[row * length_ + type])) : 0;
  }

 private:
  std::span<const int64_t> all_;
  uint64_t length_;
};

class seen {
 public:
  // `device` is the type that is divided.
  void read(const generation &g, uint32_t device) {
    *this = {};
    const rows amounts(g.amounts, g.counts.size());
    for (uint64_t i = 0; i < g.counts.size(); ++i) {
      const auto count = static_cast<uint64_t>(std::max<int64_t>(0, g.counts[i]));
      const uint64_t devices = amounts.at(i, device);
      if (count == 0 || devices == 0) continue;
      sizes_[devices] += count;
      const wide wanted = wide{count} * devices;
      wanted_ += wanted;
      for (uint32_t t = 0; t < beside_.size(); ++t) beside_[t] += wide{count} * amounts.at(i, t);
      const auto models = i < g.tags.size() ? g.tags[i] : std::nullopt;
      if (models) named_[std::string(*models)] += wanted;
    }
    const rows totals(g.totals, g.values.size());
    for (uint64_t i = 0; i < g.values.size(); ++i) {
      const uint64_t there = totals.at(i, device);
      there_ += there;
      if (const auto model = g.values[i]) there_of_[std::string(*model)] += there;
    }
  }

  // How many were for each amount of the type.
  [[nodiscard]] const std::map<uint64_t, wide> &sizes() const { return sizes_; }

  // Of a type, what one unit of the device's type comes with; 0: nothing is known.
  [[nodiscard]] double beside(uint32_t type) const {
    return wanted_ == 0 || type >= beside_.size() ? 0 : as_double(beside_[type]) / as_double(wanted_);
  }

  // How much of a model those want who name it, against what all want of all there is.
  [[nodiscard]] double pressure(std::string_view model) const {
    double sum = 0;
    for (const auto &[models, wanted] : named_) {
      if (!names(models, model)) continue;
      wide there = 0;
      for (const auto &[of, amount] : there_of_) there += names(models, of) ? amount : 0;
      if (there != 0) sum += as_double(wanted) / as_double(there);
    }
    return wanted_ == 0 ? 0 : sum * as_double(there_) / as_double(wanted_);
  }

 private:
  std::map<uint64_t, wide> sizes_;
  std::array<wide, TENON_MAX_TYPES> beside_{};  // by type, of those who want devices
  std::map<std::string, wide> named_;           // wanted, by the models that are named
  std::map<std::string, wide> there_of_;        // by model
  wide wanted_ = 0, there_ = 0;
};

}  // namespace gpu_pack_module
