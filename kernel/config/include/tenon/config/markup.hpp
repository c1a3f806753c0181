// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Texts in XML and HTML, and results of tests as JUnit's XML, which CI systems read.
#pragma once

#include <string>
#include <string_view>

namespace tenon::config {

// With & < > " and ' written out, and '?' for control characters that markup cannot hold.
[[nodiscard]] std::string escaped(std::string_view text);
// The same for a value between quotes, where a line break would be read as a blank.
[[nodiscard]] std::string escaped_value(std::string_view text);

struct junit_case {
  std::string_view name, class_name;
  std::string_view file = {};  // empty: not said
  double seconds = 0;
  std::string_view ended = {};  // failure, error, skipped; empty: passed
  std::string_view message = {}, text = {};
};

// A <testcase> with everything in it, a line each.
[[nodiscard]] std::string to_xml(const junit_case &one);
// "0.125"
[[nodiscard]] std::string junit_seconds(double seconds);
inline constexpr std::string_view xml_head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

}  // namespace tenon::config
