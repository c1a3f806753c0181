// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A report in words, as JSON and as JUnit XML.
#include <array>
#include <boost/json.hpp>

#include "tenon/config/markup.hpp"
#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {
namespace {

std::string full_name(const check_result &r) {
  return r.subject.empty() ? std::string(r.check.id) : std::string(r.check.id) + " (" + r.subject + ")";
}

std::string reproduce(const check_result &r) {
  return "--reproduce " + std::string(r.check.id) + "@" + std::to_string(r.seed) + r.options;
}

}  // namespace

std::string_view outcome_name(outcome how) {
  static constexpr std::array<std::string_view, 6> names{"passed",    "failed",  "crashed",
                                                         "timed out", "skipped", "switched off"};
  return names[static_cast<size_t>(how)];
}

std::string as_text(const check_result &r, const std::filesystem::path &manifest) {
  std::string mark = std::string(outcome_name(r.how));
  mark.resize(std::max<size_t>(mark.size(), 9), ' ');
  std::string out = mark + " " + full_name(r) + '\n';
  if (r.how == outcome::passed) return out;
  if (r.bad()) out += "  want: " + std::string(r.check.sentence) + '\n';
  out += (r.bad() ? "  have: " : "  ") + r.text + '\n';
  if (r.bad()) out += "  again: tenon plugin verify " + manifest.string() + " " + reproduce(r) + '\n';
  return out;
}

std::string summary(const verify_report &report) {
  std::string out = report.module.empty() ? report.manifest.string() : report.module + " " + report.version;
  out += ": " + std::to_string(report.count(outcome::passed)) + " passed";
  for (const outcome how :
       {outcome::failed, outcome::crashed, outcome::timed_out, outcome::skipped, outcome::switched_off}) {
    if (const size_t n = report.count(how); n != 0)
      out += ", " + std::to_string(n) + " " + std::string(outcome_name(how));
  }
  return out + "; seed " + std::to_string(report.seed) + '\n';
}

std::string as_json(const verify_report &report) {
  namespace json = boost::json;
  json::array results;
  for (const check_result &r : report.results) {
    json::object one{{"id", r.check.id},
                     {"subject", r.subject},
                     {"category", r.check.category},
                     {"sentence", r.check.sentence},
                     {"outcome", outcome_name(r.how)},
                     {"seed", r.seed},
                     {"took_us", r.took.count()}};
    if (!r.text.empty()) one["text"] = r.text;
    if (r.bad()) one["again"] = reproduce(r);
    results.push_back(std::move(one));
  }
  return json::serialize(json::object{{"good", report.good()},
                                      {"module", report.module},
                                      {"version", report.version},
                                      {"manifest", report.manifest.string()},
                                      {"seed", report.seed},
                                      {"results", std::move(results)}});
}

std::string as_junit(const verify_report &report) {
  const size_t failures = report.count(outcome::failed);
  const size_t errors = report.count(outcome::crashed) + report.count(outcome::timed_out);
  const size_t skipped = report.count(outcome::skipped) + report.count(outcome::switched_off);
  const std::string name = report.module.empty() ? report.manifest.string() : report.module;
  std::string out = std::string(config::xml_head) + "<testsuites>\n  <testsuite name=\"" + config::escaped_value(name) +
                    "\" tests=\"" + std::to_string(report.results.size()) + "\" failures=\"" +
                    std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\" skipped=\"" +
                    std::to_string(skipped) + "\">\n";
  for (const check_result &r : report.results) {
    const std::string text = r.bad() ? std::string(r.check.sentence) + "\n" + reproduce(r) : "";
    config::junit_case shown{.name = r.check.id,
                             .class_name = r.subject.empty() ? "module" : std::string_view(r.subject),
                             .seconds = static_cast<double>(r.took.count()) / 1e6};
    if (r.how != outcome::passed) {
      shown.ended = r.how == outcome::failed ? "failure" : r.bad() ? "error" : "skipped";
      shown.message = r.text;
      shown.text = text;
    }
    out += config::to_xml(shown);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tenon::conformance
