// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Pages that the program determines. A test compares the page with the program; when the environment variable
// TENON_WRITE_PAGES is set, the test writes the page instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tenon::pages {

inline std::string text_of(const std::string &page) {
  std::ifstream in(std::string(TENON_SOURCE_DIR) + "/" + page, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Returns the command that runs the current test again and makes the test write the page.
inline std::string command_that_writes() {
  const std::string source = TENON_SOURCE_DIR;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const ::testing::TestInfo *test = ::testing::UnitTest::GetInstance()->current_test_info();
  return "TENON_WRITE_PAGES=1 " + (program.starts_with(source + "/") ? program.substr(source.size() + 1) : program) +
         " --gtest_filter=" + test->test_suite_name() + "." + test->name();
}

// True if the page, a path within the source tree, has the wanted text and nothing else.
inline ::testing::AssertionResult is(const std::string &page, const std::string &wanted) {
  if (text_of(page) == wanted) return ::testing::AssertionSuccess();
  if (std::getenv("TENON_WRITE_PAGES") == nullptr) {
    return ::testing::AssertionFailure() << page << " differs from the program. Rewrite the page from the program:\n"
                                         << command_that_writes();
  }
  std::ofstream out(std::string(TENON_SOURCE_DIR) + "/" + page, std::ios::binary);
  out << wanted << std::flush;
  if (!out) return ::testing::AssertionFailure() << page << " cannot be written";
  return ::testing::AssertionSuccess();
}

// True if the page has the wanted text between the lines `<!-- PART -->` and `<!-- /PART -->`.
inline ::testing::AssertionResult has_part(const std::string &page, const std::string &part,
                                           const std::string &wanted) {
  const std::string text = text_of(page);
  const std::string begin = "\n<!-- " + part + " -->\n";
  const std::string end = "<!-- /" + part + " -->\n";
  const size_t from = text.find(begin);
  const size_t to = from == std::string::npos ? from : text.find(end, from + begin.size());
  if (to == std::string::npos) {
    return ::testing::AssertionFailure() << page << " has no part between the lines <!-- " << part << " --> and <!-- /"
                                         << part << " -->; add these two lines to the page";
  }
  return is(page, text.substr(0, from + begin.size()) + wanted + text.substr(to));
}

}  // namespace tenon::pages
