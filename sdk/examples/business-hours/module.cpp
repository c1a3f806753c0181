// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Queues by their share. One with the property `hours: 8-18` gets something from Monday to Friday in these hours alone;
// what runs goes on.
#include <charconv>

#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct business_hours {
  static constexpr std::string_view name = "business-hours";
  static constexpr std::tuple columns{words_column{"item.prepared"}, resources_column{"queue.allocated"},
                                      resources_column{"queue.guaranteed"}, resources_column{"queue.fair_max"}};

  explicit business_hours(const config &settings)
      : offset_ms_(settings.whole("offset_minutes", 0, -720, 840) * 60'000) {}

  // From which hour to which; 0 to 0 is always.
  std::array<uint64_t, 4> prepare(const text_map &properties) const {
    const std::string_view text = properties.find("hours").value_or("0-0");
    uint64_t from = 0, to = 0;
    const char *end = text.data() + text.size(), *dash = std::from_chars(text.data(), end, from).ptr;
    const bool read = dash != end && *dash == '-' && std::from_chars(dash + 1, end, to).ptr == end;
    if (!read || from > to || to > 24) throw invalid_config("hours: want as 8-18, have \"" + std::string(text) + "\"");
    return {from, to, 0, 0};
  }

  void begin(const auto &queues) { local_ms_ = queues.now_ms() + offset_ms_; }

  double key(const auto &queue) const {
    const auto [hours, allocated, guaranteed, fair_max] = queue.values();
    return tenon_dominant_share(allocated, guaranteed, fair_max);
  }
  int64_t not_before(const auto &queue) const { return next(queue.template get<0>()).first - offset_ms_; }
  int64_t valid_until(const auto &queue) const { return next(queue.template get<0>()).second - offset_ms_; }

 private:
  // When the hours that are, or come next, begin and end.
  std::pair<int64_t, int64_t> next(const std::array<uint64_t, 4> &hours) const {
    constexpr int64_t hour_ms = 3'600'000, day_ms = 24 * hour_ms, always = std::numeric_limits<int64_t>::max() / 2;
    if (hours[1] == 0) return {-always, always};
    int64_t day = local_ms_ / day_ms;
    const auto end_of = [&](int64_t of) { return of * day_ms + static_cast<int64_t>(hours[1]) * hour_ms; };
    while (end_of(day) <= local_ms_ || (day + 3) % 7 >= 5) ++day;  // day 0 was a Thursday
    return {day * day_ms + static_cast<int64_t>(hours[0]) * hour_ms, end_of(day)};
  }

  int64_t offset_ms_, local_ms_ = 0;
};

}  // namespace

TENON_MODULE(queue_sort<business_hours>)
