// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "model/decayed_usage.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {
namespace {

// 2 to the power of -n/50 for n = 1, 2, 4, ...: nothing that a mathematics library could compute otherwise elsewhere.
constexpr std::array<double, 12> powers{0x1.f8f37e3816d72p-1,  0x1.f1ffd44adb52dp-1,  0x1.e461aaf9a2624p-1,
                                        0x1.ca40b9e178b09p-1,  0x1.9a25d4bc1dc5ep-1,  0x1.488e9980df434p-1,
                                        0x1.a5adb8c8e31f4p-2,  0x1.5b4a6bd3fff49p-3,  0x1.d722d5f33bdbfp-6,
                                        0x1.b1889a0146d6fp-11, 0x1.6f17b0ee27d1fp-21, 0x1.073277be0d9fcp-41};

double left_after(int64_t steps) {
  if (steps >> powers.size() != 0) return 0;
  double left = 1;
  for (size_t i = 0; i < powers.size(); ++i) {
    if ((steps >> i & 1) != 0) left *= powers[i];
  }
  return left;
}

int64_t rounded(double value) { return value >= 9e18 ? INT64_MAX : static_cast<int64_t>(value + 0.5); }

}  // namespace

decayed_usage::decayed_usage(uint32_t half_life, int64_t now_ms, resources has)
    : half_life_(half_life), step_(now_ms / step_ms(half_life)), changed_ms_(now_ms), has_(std::move(has)) {
  series_.resize(has_.size());
}

decayed_usage::decayed_usage(const saved_decay &from)
    : half_life_(from.half_life), step_(from.changed_ms / step_ms(from.half_life)), changed_ms_(from.changed_ms) {
  for (const auto &[type, amount] : from.has) has_.set(type, amount);
  for (const auto &[value, used] : from.by_type) series_.push_back({value, used});
  if (series_.size() < has_.size()) series_.resize(has_.size());
}

saved_decay decayed_usage::saved() const {
  saved_decay out{half_life_, changed_ms_, {}, {}};
  for_each_type(has_, [&](type_index t, int64_t amount) { out.has.push_back({t, amount}); });
  for (const auto &[value, used] : series_) out.by_type.push_back({value, used});
  return out;
}

// Of the step of changed_ms_, once it is over.
double decayed_usage::mean_of_step(const series &s, int64_t has) const {
  const auto length = static_cast<double>(step_ms(half_life_));
  const auto rest = static_cast<double>((step_ + 1) * step_ms(half_life_) - changed_ms_);
  return (s.used + static_cast<double>(has) * rest) / length;
}

double decayed_usage::value_at(const series &s, int64_t has, int64_t step) const {
  if (step <= step_) return s.value;
  const double mean = mean_of_step(s, has), steady = static_cast<double>(has);
  const double first = mean + (s.value - mean) * powers[0];
  return steady + (first - steady) * left_after(step - step_ - 1);
}

void decayed_usage::change(int64_t now_ms, const resources &has) {
  const int64_t step = now_ms / step_ms(half_life_);
  const int64_t begun_ms = step * step_ms(half_life_);
  for (type_index t = 0; t < series_.size(); ++t) {
    series &s = series_[t];
    s.value = value_at(s, has_[t], step);
    if (step > step_) s.used = 0;
    s.used += static_cast<double>(has_[t]) * static_cast<double>(now_ms - std::max(changed_ms_, begun_ms));
  }
  step_ = step;
  changed_ms_ = now_ms;
  has_ = has;
  if (series_.size() < has_.size()) series_.resize(has_.size());
}

resources decayed_usage::at(int64_t now_ms) const {
  resources out;
  for (type_index t = 0; t < series_.size(); ++t) {
    const int64_t amount = rounded(value_at(series_[t], has_[t], now_ms / step_ms(half_life_)));
    if (amount != 0) out.set(t, amount);
  }
  return out;
}

}  // namespace tenon::internal
