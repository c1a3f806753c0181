// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications by the deadline in a tag, the next one first; those without one last, in the order of submission. A
// deadline that cannot be read refuses the application, in words.
#include <charconv>

#include "tenon/sdk/sort_policy.hpp"

namespace {

using namespace tenon::sdk;

struct deadline_first {
  static constexpr std::string_view name = "deadline-first";
  static constexpr std::tuple columns{words_column{"item.prepared"}, number_column{"app.submitted_ms"}};

  explicit deadline_first(const config &settings) : tag_(settings.text("tag", "deadline_ms")) {}

  // Once, at submission: what keys then read is a number.
  std::array<uint64_t, 4> prepare(const text_map &tags) const {
    const auto text = tags.find(tag_);
    if (!text) return {std::numeric_limits<uint64_t>::max(), 0, 0, 0};
    uint64_t deadline_ms = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), deadline_ms);
    if (error != std::errc() || end != text->data() + text->size()) {
      throw invalid_config("tag " + tag_ + ": want milliseconds since 1970, have \"" + std::string(*text) + "\"");
    }
    return {deadline_ms, 0, 0, 0};
  }

  std::array<uint64_t, 2> key(const auto &app) const {
    const auto [prepared, submitted_ms] = app.values();
    return {prepared[0], ascending(submitted_ms)};
  }

 private:
  std::string tag_;
};

}  // namespace

TENON_MODULE(app_sort<deadline_first>)
