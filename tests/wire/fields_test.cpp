// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Every field of both dialects: nothing is lost, each has a line in the document, and numbers are the published ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "../documents/written_pages.hpp"
#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"
#include "tenon/v1/admin.pb.h"
#include "tenon/v1/checks.pb.h"
#include "tenon/v1/options.pb.h"
#include "tenon/v1/resource.pb.h"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;
using ::testing::ElementsAre;

std::string text_of(const std::filesystem::path &file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

TEST(WireFields, EachAloneComesBack) {
  int fields = 0;
  for (const any_message &message : every_message()) {
    each_field_alone(*message, [&](const pb::Message &one, const std::string &which) {
      EXPECT_EQ(difference(bytes_of(one), one), "") << which;
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
      ASSERT_EQ(difference(bytes_of(*message), *message), "")
          << message->GetDescriptor()->full_name() << ", round " << round;
    }
  }
}

TEST(WireFields, UnknownOnesInsideOfAnAmountComeBack) {
  ::si::v1::UpdateRequest request;
  auto &quantity = (*request.add_asks()->mutable_resourceask()->mutable_resources())["vcore"];
  quantity.set_value(5);
  quantity.GetReflection()->MutableUnknownFields(&quantity)->AddVarint(9, 3);
  EXPECT_EQ(difference(bytes_of(request), request), "");
}

TEST(WireFields, TheDocumentHasTheTables) {
  EXPECT_TRUE(tenon::pages::has_part("docs/interface.md", "fields", wire::fields_page()));
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

// What an RM may have put passwords into: configurations, and what comes with them.
TEST(WireFields, ThoseWithConfigurationsAreMarkedAsSecret) {
  for (const pb::FileDescriptor *file :
       {::si::v1::Quantity::descriptor()->file(), si::v1later::Quantity::descriptor()->file(),
        v1::Check::descriptor()->file(), v1::UpdateConfigRequest::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      for (int n = 0; n < file->message_type(i)->field_count(); ++n) {
        const pb::FieldDescriptor *field = file->message_type(i)->field(n);
        const pb::FieldOptions &marks = field->options();
        const bool secret = marks.GetExtension(::si::v1::si_secret) || marks.GetExtension(v1::secret);
        EXPECT_TRUE(secret || field->name().find("onfig") == std::string::npos) << field->full_name();
      }
    }
  }
}

// Fields of a .proto file as "message.name number type".
std::vector<std::string> fields_of(const std::string &text) {
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
  std::istringstream lines(text_of(TENON_TEST_DATA_DIR "/interface/si-v1-fields.txt"));
  std::vector<std::string> wanted;
  for (std::string line; std::getline(lines, line);) wanted.push_back(line);
  EXPECT_GT(wanted.size(), 100u);
  const auto here = fields_of(text_of(std::filesystem::path(TENON_SOURCE_DIR) / "sdk/proto/si/v1/si.proto"));
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

// A field as the wire has it, and by which name.
std::string line_of(const pb::FieldDescriptor &field) {
  return field.name() + " " + std::to_string(field.number()) + " " + field.type_name() +
         (field.is_map() ? " map" : "") + (field.is_repeated() ? " repeated" : "");
}

// Those of Tenon's own services are apart, so that a client needs no file of the interface beside its own.
TEST(WireFields, MessagesThatTenonsServicesShareWithTheInterfaceAreEqual) {
  const pb::FileDescriptor *later = si::v1later::Quantity::descriptor()->file();
  std::set<std::string> shared;
  for (const pb::FileDescriptor *file : {v1::Check::descriptor()->file(), v1::Resource::descriptor()->file()}) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      const pb::Descriptor *own = file->message_type(i);
      const pb::Descriptor *one = later->FindMessageTypeByName(own->name());
      if (!one) {
        continue;
      }
      shared.insert(own->name());
      ASSERT_EQ(own->field_count(), one->field_count()) << own->name();
      for (int n = 0; n < own->field_count(); ++n) {
        EXPECT_EQ(line_of(*own->field(n)), line_of(*one->field(n))) << own->name();
      }
    }
  }
  EXPECT_THAT(shared,
              ElementsAre("Quantity", "RegisterResourceManagerRequest", "RegisterResourceManagerResponse", "Resource"));
}

// A process can hold one file only that declares si.v1: Go panics at a second one, Python refuses it, and a client may
// have brought the interface's own.
TEST(WireFields, FilesOfTenonNeedNoneOfTheInterface) {
  size_t files = 0;
  const std::filesystem::path folder = std::filesystem::path(TENON_SOURCE_DIR) / "sdk/proto";
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".proto") {
      continue;
    }
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    const pb::FileDescriptor *file = pb::DescriptorPool::generated_pool()->FindFileByName(name);
    ASSERT_TRUE(file) << name << " is not in libtenon_proto.so: name it in sdk/proto/CMakeLists.txt";
    ++files;
    EXPECT_TRUE(file->options().go_package().starts_with("tenon.invalid/proto/")) << name;
    for (int i = 0; i < file->dependency_count(); ++i) {
      const std::string &other = file->dependency(i)->name();
      EXPECT_TRUE(other.starts_with("google/protobuf/") || other.starts_with("tenon/v1/"))
          << name << " imports " << other;
    }
  }
  EXPECT_GE(files, 7u);
}

}  // namespace
}  // namespace tenon::testing
