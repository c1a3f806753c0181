// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The catalogues of kinds and columns say what the ABI's headers and their pages say.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "tenon/kernel/columns.hpp"

namespace tenon {
namespace {

std::string text_of(const std::string &file) {
  std::ifstream in(std::string(TENON_SOURCE_DIR "/") + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every "node.free", "app.tag:K" and the like at the beginning of a line of the list, or behind a comma there; and the
// value that its line names.
std::map<std::string, std::string> columns_of_the_header() {
  std::string text = text_of("sdk/include/tenon/abi/columns.h");
  text = text.substr(text.find("Column ids of epoch 1"));
  text = text.substr(0, text.find("*/"));
  std::map<std::string, std::string> out;
  static const std::regex line(R"(\n \*   ((?:[a-z]+\.[a-z_]+(?::[A-Z])?(?: \([^)]*\))?,? *)+) +([A-Z][A-Z0-9_]+)\b)");
  static const std::regex id(R"(([a-z]+\.[a-z_]+:?))");
  for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator one(names.begin(), names.end(), id); one != end; ++one) out[(*one)[1]] = (*at)[2];
  }
  return out;
}

std::string value_name(uint32_t value) {
  switch (value) {
    case TENON_COLUMN_I64:
      return "I64";
    case TENON_COLUMN_RESOURCES:
      return "RESOURCES";
    case TENON_COLUMN_TEXT:
      return "TEXT";
    case TENON_COLUMN_TEXT_MAP:
      return "TEXT_MAP";
    case TENON_COLUMN_WORDS:
      return "WORDS";
    case TENON_COLUMN_TEXTS:
      return "TEXTS";
    default:
      return "NUMBERS";
  }
}

TEST(Catalogue, ColumnsAreThoseOfTheHeader) {
  std::map<std::string, std::string> ours;
  for (const column_entry &one : known_columns) ours[std::string(one.id)] = value_name(one.value);
  EXPECT_EQ(ours, columns_of_the_header());
}

TEST(Catalogue, ColumnsContextIsOfReaders) {
  for (const column_entry &one : known_columns) EXPECT_EQ(one.context_of & ~one.readers, 0U) << one.id;
}

TEST(Catalogue, KindsHaveAPageAndAnIdOfTheirName) {
  for (const kind_entry &kind : module_kinds) {
    EXPECT_EQ(find_kind(kind.interface), &kind);
    EXPECT_NE(text_of("docs/kinds/" + std::string(kind.name()) + ".md"), "") << kind.name();
    EXPECT_EQ(kind.family(), "tenon." + std::string(kind.name()) + "/");
  }
  EXPECT_EQ(find_kind("tenon.node-sort/2"), nullptr);
  EXPECT_EQ(kind_in("no interface"), "no interface");
}

}  // namespace
}  // namespace tenon
