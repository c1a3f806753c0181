// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "configuration_page.hpp"

#include <gtest/gtest.h>

#include "../documents/written_pages.hpp"
#include "tenon/config/queues.hpp"

namespace tenon::config {
namespace {

TEST(ConfigurationPage, IsWhatTheTablesSay) {
  EXPECT_TRUE(tenon::pages::is("docs/configuration.md", configuration_page()));
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
