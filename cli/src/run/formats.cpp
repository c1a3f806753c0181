// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "run/formats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

namespace tenon::cli {
namespace {

constexpr double minute = 60, hour = 3600, day = 86'400;

// A step of 1, 2, 2.5 or 5 times a power of ten, so that about `wanted` of them make `most`.
double nice_step(double most, int wanted) {
  const double rough = most / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (rough <= factor * power * 1.0000001) return factor * power;
  }
  return 10 * power;
}

// After the point, so that multiples of the step are exact.
int digits_of(double step) {
  int digits = 0;
  for (double scaled = step; digits < 9 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled; scaled *= 10)
    ++digits;
  return digits;
}

constexpr std::array month_names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string two_digits(int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

struct date {
  std::chrono::year_month_day day;
  int64_t hour, minute;

  explicit date(int64_t ms) {
    const std::chrono::sys_time<std::chrono::milliseconds> at{std::chrono::milliseconds(ms)};
    const auto midnight = std::chrono::floor<std::chrono::days>(at);
    day = std::chrono::year_month_day(midnight);
    const std::chrono::hh_mm_ss of_day{at - midnight};
    hour = of_day.hours().count();
    minute = of_day.minutes().count();
  }
  [[nodiscard]] std::string month() const { return month_names[static_cast<unsigned>(day.month()) - 1]; }
  [[nodiscard]] std::string day_and_month() const {
    return std::to_string(static_cast<unsigned>(day.day())) + " " + month();
  }
  [[nodiscard]] std::string year() const { return std::to_string(int{day.year()}); }
};

}  // namespace

std::string percent(double part) { return std::isnan(part) ? "–" : decimal(part * 100, 1) + "%"; }

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, "\u202F");
  }
  return digits;
}

std::string duration_text(double seconds) {
  const auto three = [](double value) { return decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0); };
  if (seconds <= 0) return "0 s";
  if (seconds < 0.9995) return three(seconds * 1000) + " ms";
  if (seconds < 99.5) return three(seconds) + " s";
  if (seconds < 99.5 * minute) return three(seconds / minute) + " min";
  if (seconds < 48 * hour) return three(seconds / hour) + " h";
  return three(seconds / day) + " days";
}

std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return std::string(text.substr(0, end)) + "…";
}

std::vector<tick> number_ticks(double most, int wanted, double scale) {
  std::vector<tick> out;
  if (!(most > 0)) return {{0, "0"}};
  const double step = nice_step(most * scale, wanted);
  for (int i = 0; i * step <= most * scale * 1.0000001; ++i) {
    const double shown = i * step;
    std::string text = decimal(shown, digits_of(step));
    if (scale == 1 && step >= 1e6) {
      text = decimal(shown / 1e6, digits_of(step / 1e6)) + "M";
    } else if (scale == 1 && step >= 1000) {
      text = decimal(shown / 1e3, digits_of(step / 1e3)) + "k";
    }
    out.push_back({shown / scale, i == 0 ? "0" : text});
  }
  return out;
}

time_unit unit_of(double most_seconds) {
  if (most_seconds > 3 * day) return {"days", day};
  if (most_seconds > 3 * hour) return {"hours", hour};
  if (most_seconds > 3 * minute) return {"minutes", minute};
  if (most_seconds > 1) return {"seconds", 1};
  return {"milliseconds", 0.001};
}

std::vector<tick> time_ticks(double most_seconds, int wanted) {
  const time_unit unit = unit_of(most_seconds);
  const double most = most_seconds / unit.seconds;
  double step = nice_step(most, wanted);
  // Steps that a clock or a calendar has.
  constexpr std::array of_minutes = {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0};
  constexpr std::array of_hours = {1.0, 2.0, 3.0, 6.0, 12.0, 24.0};
  constexpr std::array of_days = {1.0, 2.0, 7.0, 14.0, 28.0, 56.0};
  const auto choose = [&](const auto &steps) {
    const auto fits = std::find_if(steps.begin(), steps.end(), [&](double s) { return most / s <= wanted * 1.5; });
    if (fits != steps.end()) step = *fits;
  };
  if (unit.name == "minutes" || unit.name == "seconds") choose(of_minutes);
  if (unit.name == "hours") choose(of_hours);
  if (unit.name == "days") choose(of_days);
  std::vector<tick> out;
  for (int i = 0; i * step <= most * 1.0000001; ++i) {
    out.push_back({i * step * unit.seconds, decimal(i * step, digits_of(step))});
  }
  return out;
}

std::string date_text(int64_t ms) {
  const date d(ms);
  return d.day_and_month() + " " + d.year() + ", " + two_digits(d.hour) + ":" + two_digits(d.minute);
}

std::vector<tick> date_ticks(int64_t begins_ms, double most_seconds, int wanted) {
  std::vector<tick> out;
  const auto add = [&](int64_t ms, const std::string &text) {
    const double at = static_cast<double>(ms - begins_ms) / 1000.0;
    if (at >= 0 && at <= most_seconds * 1.0000001) out.push_back({at, text});
  };
  const double days = most_seconds / day;
  if (days > 31.0 * wanted / 2) {  // months: every one, or those with which quarters, halves and years begin
    const double months = days / 30.4;
    const unsigned step = months <= wanted * 1.5 ? 1 : months <= wanted * 4.5 ? 3 : months <= wanted * 9 ? 6 : 12;
    using namespace std::chrono;
    const date first(begins_ms);
    for (year_month month{first.day.year(), January};; month += std::chrono::months(step)) {
      const sys_days at{month / 1};
      const int64_t ms = duration_cast<milliseconds>(at.time_since_epoch()).count();
      if (static_cast<double>(ms - begins_ms) / 1000.0 > most_seconds) break;
      const date d(ms);
      add(ms, month.month() == January || step == 12 ? d.year() : d.month());
    }
    return out;
  }
  constexpr std::array steps = {1.0 / 24 / 12, 1.0 / 24 / 4, 1.0 / 24, 3.0 / 24, 6.0 / 24,
                                12.0 / 24,     1.0,          2.0,      7.0,      14.0};
  const auto found = std::find_if(steps.begin(), steps.end(), [&](double s) { return days / s <= wanted * 1.25; });
  const auto step_ms = static_cast<int64_t>((found == steps.end() ? 14.0 : *found) * day * 1000);
  for (int64_t ms = (begins_ms + step_ms - 1) / step_ms * step_ms;
       static_cast<double>(ms - begins_ms) / 1000.0 <= most_seconds; ms += step_ms) {
    const date d(ms);
    const bool midnight = d.hour == 0 && d.minute == 0;
    add(ms, midnight || step_ms >= static_cast<int64_t>(day) * 1000 ? d.day_and_month()
                                                                    : two_digits(d.hour) + ":" + two_digits(d.minute));
  }
  return out;
}

}  // namespace tenon::cli
