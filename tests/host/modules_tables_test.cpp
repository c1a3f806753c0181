// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "modules_tables.hpp"

#include <gtest/gtest.h>

#include "../documents/written_pages.hpp"

namespace tenon::host {
namespace {

TEST(ModulesPage, HasTheTablesOfTheParsers) {
  EXPECT_TRUE(tenon::pages::has_part("docs/modules.md", "tables", modules_tables()));
}

}  // namespace
}  // namespace tenon::host
