// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "diff/verdict.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <ostream>
#include <utility>

#include "run/formats.hpp"

namespace tenon::cli {

result<std::vector<threshold>> parse_thresholds(const std::vector<std::string> &texts) {
  std::vector<threshold> out;
  for (const std::string &text : texts) {
    auto parsed = threshold::parse(text);
    if (!parsed) return parsed.why();
    out.push_back(std::move(*parsed));
  }
  return out;
}

result<std::vector<checked_threshold>> check_all(const std::vector<threshold> &of, const window_figures &a,
                                                 const window_figures &b) {
  std::vector<checked_threshold> out;
  for (const threshold &one : of) {
    const auto checked = one.check(a, b);
    if (!checked) return checked.why();
    out.push_back({one.text(), *checked});
  }
  return out;
}

bool all_passed(const std::vector<checked_threshold> &of) {
  return std::all_of(of.begin(), of.end(), [](const checked_threshold &one) { return one.outcome.passed; });
}

void print_verdict(std::ostream &out, const std::vector<checked_threshold> &of, const char *a, const char *b) {
  if (of.empty()) return;
  out << '\n';
  const auto value = [](double figure) { return std::isnan(figure) ? std::string("-") : decimal(figure, 4); };
  for (const checked_threshold &one : of) {
    out << "  " << (one.outcome.passed ? "ok      " : "FAILED  ") << one.text << ": " << a << ' '
        << value(one.outcome.a) << ", " << b << ' ' << value(one.outcome.b) << '\n';
  }
  out << "verdict: " << (all_passed(of) ? "passed" : "failed") << '\n';
}

boost::json::array json_of(const std::vector<checked_threshold> &of, const char *a, const char *b) {
  namespace json = boost::json;
  json::array out;
  const auto value = [](double figure) { return std::isnan(figure) ? json::value(nullptr) : json::value(figure); };
  for (const checked_threshold &one : of) {
    out.push_back(json::object{
        {"fail_if", one.text}, {a, value(one.outcome.a)}, {b, value(one.outcome.b)}, {"passed", one.outcome.passed}});
  }
  return out;
}

}  // namespace tenon::cli
