// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/config/markup.hpp"

#include <cstdio>

namespace tenon::config {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string escaped_value(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return out;
}

std::string junit_seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::string to_xml(const junit_case &one) {
  const auto attribute = [](std::string_view key, std::string_view value) {
    return " " + std::string(key) + "=\"" + escaped_value(value) + "\"";
  };
  std::string out = "    <testcase" + attribute("name", one.name) + attribute("classname", one.class_name);
  if (!one.file.empty()) out += attribute("file", one.file);
  out += attribute("time", junit_seconds(one.seconds));
  if (one.ended.empty()) return out + "/>\n";
  const std::string how(one.ended);
  out += ">\n      <" + how + attribute("message", one.message);
  out += one.text.empty() ? "/>\n" : ">" + escaped(one.text) + "</" + how + ">\n";
  return out + "    </testcase>\n";
}

}  // namespace tenon::config
