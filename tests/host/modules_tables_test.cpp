// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "modules_tables.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace tenon::host {
namespace {

TEST(ModulesPage, HasTheTablesOfTheParsers) {
  std::ostringstream page;
  page << std::ifstream(TENON_SOURCE_DIR "/docs/modules.md").rdbuf();
  EXPECT_NE(page.str().find(modules_tables()), std::string::npos)
      << "replace its tables by what bin/modules_tables prints";
}

}  // namespace
}  // namespace tenon::host
