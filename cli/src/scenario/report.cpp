// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "scenario/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <ostream>

#include "run/refusal_json.hpp"
#include "tenon/config/markup.hpp"

namespace tenon::cli {
namespace {

namespace json = boost::json;

std::string joined_lines(const std::vector<std::string> &lines) {
  std::string out;
  for (const std::string &line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

size_t failed_count(std::span<const outcome> all) {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const outcome &o) { return !o.passed(); }));
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
  out << (one.passed() ? "ok      " : "FAILED  ") << one.name << " (" << config::junit_seconds(one.seconds) << " s)\n";
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
  std::string out = fmt::format(
      "{}<testsuite name=\"tenon scenario run\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">\n",
      config::xml_head, all.size() + refused.size(), failed_count(all), refused.size(), config::junit_seconds(seconds));
  for (const outcome &one : all) {
    const std::string why = joined_lines(one.failures);
    config::junit_case shown{.name = one.name, .class_name = "scenario", .file = one.file, .seconds = one.seconds};
    if (!one.passed()) {
      shown.ended = "failure";
      shown.message = one.failures.front();
      shown.text = why;
    }
    out += config::to_xml(shown);
  }
  for (const refused_file &one : refused) {
    std::vector<std::string> lines;
    for (const refusal &why : one.why) lines.push_back(why.text());
    out += config::to_xml({.name = one.file,
                           .class_name = "scenario",
                           .file = one.file,
                           .ended = "error",
                           .message = lines.front(),
                           .text = joined_lines(lines)});
  }
  return out + "</testsuite>\n";
}

}  // namespace tenon::cli
