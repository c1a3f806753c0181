// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configuration_page.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

TEST(ConfigurationPage, IsWhatTheTablesSay) {
  std::stringstream page;
  page << std::ifstream(TENON_SOURCE_DIR "/docs/configuration.md").rdbuf();
  EXPECT_TRUE(page.str() == configuration_page()) << "make it anew: bin/configuration_page > docs/configuration.md";
}

// A reader copies the examples.
TEST(ConfigurationPage, ItsExamplesAreAcceptedWithoutAWarning) {
  const std::string page = configuration_page();
  const std::string open = "```yaml\n";
  int examples = 0;
  for (size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    const std::string example = page.substr(at, page.find("```", at) - at);
    const auto parsed = parse_queues(example, "example");
    EXPECT_TRUE(parsed.config) << example << (parsed.refusals.empty() ? "" : parsed.refusals[0].text());
    EXPECT_TRUE(parsed.warnings.empty()) << example << (parsed.warnings.empty() ? "" : parsed.warnings[0].text());
    ++examples;
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace tenon::config
