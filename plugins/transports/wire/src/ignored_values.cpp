// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/wire/ignored_values.hpp"

#include <cstddef>
#include <string_view>

#include "tenon/abi/rm_requests.h"
#include "tenon/text/letters.hpp"
#include "tenon/text/utf8.hpp"

namespace tenon::wire {
namespace {

constexpr size_t longest_shown = 100;

std::string in_quotes(const tenon_text &text) {
  const std::string_view shown = beginning_of({text.data, text.length}, longest_shown);
  return '"' + std::string(shown) + (shown.size() < text.length ? "...\"" : "\"");
}

class finder {
 public:
  void look_at(const tenon_rm_application &m) {
    const std::string_view given(m.gang_style.data, m.gang_style.length);
    const auto is = [&](std::string_view style) { return same_without_case(given, style); };
    if (m.gang_style.length != 0 && !is("soft") && !is("hard"))
      add("application", m.application,
          "want Soft or Hard as gangSchedulingStyle, have " + in_quotes(m.gang_style) +
              ", which counts as Soft; send Soft or Hard");
    look_at_timeout("application", m.application, m.execution_timeout_ms);
  }
  void look_at(const tenon_rm_ask &m) { look_at_timeout("ask", m.key, m.execution_timeout_ms); }

  [[nodiscard]] std::string take() const {
    if (count_ < 2) return first_;
    return first_ + " (and " + std::to_string(count_ - 1) + " more ignored values)";
  }

 private:
  void look_at_timeout(std::string_view kind, const tenon_text &name, int64_t ms) {
    if (ms < 0)
      add(kind, name,
          "want 0 or more as executionTimeoutMilliSeconds, have " + std::to_string(ms) +
              ", which counts as 0; send the time, or leave the field out");
  }
  void add(std::string_view kind, const tenon_text &name, const std::string &what) {
    if (++count_ == 1) first_ = std::string(kind) + " " + in_quotes(name) + ": " + what;
  }

  std::string first_;
  size_t count_ = 0;
};

}  // namespace

std::string ignored_values(const batch &of) {
  finder found;
  for (const tenon_rm_message *message : of.messages) {
    if (message->type == TENON_RM_APPLICATION) found.look_at(reinterpret_cast<const tenon_rm_application &>(*message));
    if (message->type == TENON_RM_ASK) found.look_at(reinterpret_cast<const tenon_rm_ask &>(*message));
  }
  return found.take();
}

}  // namespace tenon::wire
