// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/report.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <ostream>

#include "run/refusal_json.hpp"
#include "run/words.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string joined_lines(const std::vector<std::string> &lines) {
  std::string out;
  for (const std::string &line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

size_t failed_count(std::span<const outcome> all) {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const outcome &o) { return !o.passed(); }));
}

// A line break in an attribute would be read as a space.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return out;
}

json::object to_object(const outcome &one) {
  return {{"name", one.name},
          {"file", one.file},
          {"passed", one.passed()},
          {"seconds", one.seconds},
          {"failure", joined_lines(one.failures)}};
}

}  // namespace

void print(std::ostream &out, const outcome &one) {
  out << (one.passed() ? "ok      " : "FAILED  ") << one.name << " (" << seconds_text(one.seconds) << " s)\n";
  for (const std::string &line : one.failures) out << "  " << line << '\n';
}

void print_totals(std::ostream &out, std::span<const outcome> all, std::span<const refused_file> refused) {
  const size_t failed = failed_count(all);
  out << all.size() - failed << " passed, " << failed << " failed";
  if (!refused.empty()) out << ", " << refused.size() << " refused";
  out << '\n';
}

std::string to_json(std::span<const outcome> all, std::span<const refused_file> refused) {
  json::array scenarios;
  for (const outcome &one : all) scenarios.push_back(to_object(one));
  json::object report{{"scenarios", std::move(scenarios)}};
  json::array reasons;
  for (const refused_file &one : refused) {
    for (const refusal &why : one.why) reasons.push_back(refusal_json(why));
  }
  if (!reasons.empty()) report["refused"] = std::move(reasons);
  return json::serialize(report);
}

std::string to_junit(std::span<const outcome> all, std::span<const refused_file> refused) {
  double seconds = 0;
  for (const outcome &one : all) seconds += one.seconds;
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tenon scenario run\" tests=\"" +
                    std::to_string(all.size() + refused.size()) + "\" failures=\"" + std::to_string(failed_count(all)) +
                    "\" errors=\"" + std::to_string(refused.size()) + "\" time=\"" + seconds_text(seconds) + "\">\n";
  for (const outcome &one : all) {
    out += "  <testcase name=\"" + xml(one.name) + "\" classname=\"scenario\" file=\"" + xml(one.file) + "\" time=\"" +
           seconds_text(one.seconds) + "\"";
    if (one.passed()) {
      out += "/>\n";
      continue;
    }
    out += ">\n    <failure message=\"" + xml(one.failures.front()) + "\">" + xml(joined_lines(one.failures)) +
           "</failure>\n  </testcase>\n";
  }
  for (const refused_file &one : refused) {
    std::vector<std::string> lines;
    for (const refusal &why : one.why) lines.push_back(why.text());
    const std::string file = xml(one.file);
    out += "  <testcase name=\"" + file + "\" classname=\"scenario\" file=\"" + file +
           "\" time=\"0.000\">\n    <error message=\"" + xml(lines.front()) + "\">" + xml(joined_lines(lines)) +
           "</error>\n  </testcase>\n";
  }
  return out + "</testsuite>\n";
}

}  // namespace tenon::cli
