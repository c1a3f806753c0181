// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every field of both dialects: nothing is lost, each has a line in the document, and numbers are the published ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;

std::string text_of(const std::filesystem::path &file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

TEST(WireFields, EachAloneComesBack) {
  int fields = 0;
  for (const any_message &message : every_message()) {
    each_field_alone(*message, [&](const pb::Message &one, const std::string &which) {
      EXPECT_EQ(through_structs(one), "") << which;
      ++fields;
    });
  }
  EXPECT_GT(fields, 400);
}

TEST(WireFields, ManyTogetherComeBackWithWhatNoSchemaKnows) {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < 60; ++round) {
    for (const any_message &message : every_message()) {
      fill(*message, random, round % 2 == 1);
      ASSERT_EQ(through_structs(*message), "") << message->GetDescriptor()->full_name() << ", round " << round;
    }
  }
}

TEST(WireFields, UnknownOnesInsideOfAnAmountComeBack) {
  ::si::v1::UpdateRequest request;
  auto &quantity = (*request.add_asks()->mutable_resourceask()->mutable_resources())["vcore"];
  quantity.set_value(5);
  quantity.GetReflection()->MutableUnknownFields(&quantity)->AddVarint(9, 3);
  EXPECT_EQ(through_structs(request), "");
}

TEST(WireFields, TheDocumentHasTheTables) {
  EXPECT_THAT(text_of(std::filesystem::path(TENON_SOURCE_DIR) / "docs/interface.md"),
              ::testing::HasSubstr(wire::fields_page()))
      << "print_interface_fields prints them";
}

TEST(WireFields, EachSaysWhatItDoes) {
  std::istringstream page(wire::fields_page());
  const std::regex line(R"(\| (?:\d+ \w+)? ?\| ?(?:\d+ \w+)? \| `\w+` \| .{3,} \|)");
  int rows = 0;
  for (std::string text; std::getline(page, text);) {
    if (text.starts_with("| ") && !text.starts_with("| first")) {
      EXPECT_TRUE(std::regex_match(text, line)) << text;
      ++rows;
    }
  }
  EXPECT_GT(rows, 100);
}

// Fields as "message.name number type", of the published text.
std::vector<std::string> published(const std::string &text) {
  std::vector<std::string> out;
  const std::regex message(R"(^\s*message (\w+) \{)");
  const std::regex field(R"(^\s*(repeated )?(map<string, \w+>|\w+)\s+(\w+) = (\d+)( \[.*\])?;)");
  std::istringstream lines(text);
  std::string inside;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, message)) {
      inside = found[1];
    } else if (std::regex_search(line, found, field) && !inside.empty()) {
      out.push_back(inside + "." + found[3].str() + " " + found[4].str() + " " + found[1].str() + found[2].str());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(WireFields, TheFirstDialectIsThePublishedOne) {
  std::filesystem::path text;
  const std::filesystem::path folder = std::filesystem::path(TENON_SHARED_DIR) / "seeds";
  if (std::filesystem::exists(folder)) {
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with("001")) {
        text = entry.path();
      }
    }
  }
  if (text.empty()) {
    GTEST_SKIP() << "no published interface beside the checkout";
  }
  const std::vector<std::string> wanted = published(text_of(text));
  EXPECT_GT(wanted.size(), 100u);
  const auto here = published(text_of(std::filesystem::path(TENON_SOURCE_DIR) / "sdk/proto/si/v1/si.proto"));
  EXPECT_EQ(here, wanted);
}

TEST(WireFields, SameNamesHaveSameNumbersInBothDialects) {
  const pb::FileDescriptor *first = ::si::v1::Quantity::descriptor()->file();
  const pb::FileDescriptor *later = si::v1later::Quantity::descriptor()->file();
  for (int i = 0; i < first->message_type_count(); ++i) {
    const pb::Descriptor *old = first->message_type(i);
    const pb::Descriptor *now = later->FindMessageTypeByName(old->name());
    for (int n = 0; now && n < old->field_count(); ++n) {
      if (const pb::FieldDescriptor *field = now->FindFieldByName(old->field(n)->name())) {
        EXPECT_EQ(field->number(), old->field(n)->number()) << field->full_name();
      }
    }
  }
}

}  // namespace
}  // namespace tenon::testing
