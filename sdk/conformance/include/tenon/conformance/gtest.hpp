// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The conformance checks in a GoogleTest program: one test a check, each in a process of its own.
//
//   int main(int argc, char **argv) {
//     testing::InitGoogleTest(&argc, argv);
//     tenon::conformance::add_tests("build/acme-binpack.yaml");
//     return RUN_ALL_TESTS();
//   }
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tenon/conformance/verify.hpp"

namespace tenon::conformance {

namespace internal {

class one_check : public testing::Test {
 public:
  explicit one_check(verify_options options) : options_(std::move(options)) {}

  void TestBody() override {
    const auto report = verify(options_);
    ASSERT_TRUE(report) << report.why().text();
    bool ran = false;
    std::string skipped;
    for (const check_result &r : report->results) {
      if (r.bad()) ADD_FAILURE() << as_text(r, report->manifest);
      if (r.bad() || r.how == outcome::passed) ran = true;
      if (!r.text.empty()) skipped += r.text + '\n';
    }
    if (!ran) GTEST_SKIP() << (skipped.empty() ? "no implementation that it is about" : skipped);
  }

 private:
  verify_options options_;
};

}  // namespace internal

// Call between InitGoogleTest and RUN_ALL_TESTS. `suite` is the name before the dot, as in Conformance.keys_time.
// Filter, seed, limit and the rest of `options` hold; its manifest is replaced.
inline void add_tests(const std::filesystem::path &manifest, verify_options options = {},
                      const std::string &suite = "Conformance") {
  for (const check_entry &check : all_checks()) {
    if (check.long_run && !options.long_run) continue;
    verify_options one = options;
    one.manifest = manifest;
    one.filter = "^" + std::string(check.id) + "$";
    std::string name(check.id);  // to --gtest_filter a '-' says which not to run
    std::replace(name.begin(), name.end(), '-', '_');
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [one]() -> testing::Test * { return new internal::one_check(one); });
  }
}

}  // namespace tenon::conformance
