// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes read and written without protobuf objects: the same as through them, for all fields, for noise and damage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/abi/rm_answers.h"
#include "tenon/abi/rm_requests.h"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;

// What is beside the parts and then the parts one by one make the message that all of them make.
std::string appended(const pb::Message &message) {
  wire::arena arena;
  wire::batch parts;
  std::string bytes, out, refusal;
  if (!read(message, bytes, arena, parts, refusal)) return refusal;
  const std::vector<const tenon_rm_message *> messages = std::exchange(parts.messages, {});
  if (!wire::write(schema_of(message), parts, out, refusal)) return refusal;
  for (const tenon_rm_message *part : messages) {
    if (!wire::append(schema_of(message), part, out, refusal)) return refusal;
  }
  const std::unique_ptr<pb::Message> back(message.New());
  if (!back->ParseFromString(out)) return "no message";
  return bytes_of(*back) == bytes_of(message) ? "" : "another message: " + back->DebugString();
}

// Messages with parts, in both dialects.
std::vector<any_message> every_envelope() {
  std::vector<any_message> out = every_message();
  std::erase_if(out, [](const any_message &message) {
    const wire::schema &schema = schema_of(*message);
    for (uint32_t type = 0; type < 64; ++type) {
      if (wire::rank_of(schema, type) >= 0) return false;
    }
    return true;
  });
  return out;
}

TEST(WireBytes, EveryFieldAloneIsReadAndWrittenAsByProtobuf) {
  for (const any_message &message : every_envelope()) {
    each_field_alone(*message, [](const pb::Message &sent, const std::string &path) {
      EXPECT_EQ(difference(bytes_of(sent), sent), "") << path;
      EXPECT_EQ(appended(sent), "") << path;
    });
  }
}

TEST(WireBytes, RandomMessagesAreReadAndWrittenAsByProtobuf) {
  std::mt19937_64 random(20'261'121);
  for (int round = 0; round < 400; ++round) {
    for (const any_message &message : every_envelope()) {
      message->Clear();
      fill(*message, random, round % 3 == 0);
      ASSERT_EQ(difference(bytes_of(*message), *message), "");
      ASSERT_EQ(appended(*message), "") << message->DebugString();
    }
  }
}

TEST(WireBytes, DamageIsJudgedAsByProtobuf) {
  std::mt19937_64 random(77);
  for (int round = 0; round < 600; ++round) {
    for (const any_message &message : every_envelope()) {
      message->Clear();
      fill(*message, random, round % 3 == 0);
      std::string bytes = bytes_of(*message);
      for (uint64_t hits = 1 + random() % 3; hits > 0 && !bytes.empty(); --hits) {
        const size_t at = random() % bytes.size();
        switch (random() % 4) {
          case 0:
            bytes[at] = static_cast<char>(random());
            break;
          case 1:
            bytes.resize(at);
            break;
          case 2:
            bytes.insert(at, bytes.substr(0, random() % 40));
            break;
          default:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        }
      }
      ASSERT_EQ(difference(bytes, *message), "");
    }
  }
}

TEST(WireBytes, TwoHalvesOfAMessageAreOneMessage) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    for (const any_message &message : every_envelope()) {
      message->Clear();
      fill(*message, random, false);
      std::string bytes = bytes_of(*message);
      fill(*message, random, false);
      bytes += bytes_of(*message);
      ASSERT_EQ(difference(bytes, *message), "");
    }
  }
}

std::string field(uint8_t tag, std::string_view inside) {
  return std::string{static_cast<char>(tag), static_cast<char>(inside.size())}.append(inside);
}

// An ask of the first dialect with these fields.
std::string ask(std::string_view fields) { return field(0x0a, fields); }

class WireAsk : public ::testing::Test {
 protected:
  // Null: refused.
  const tenon_rm_ask *read(std::string_view fields) {
    bytes = ask(fields);
    EXPECT_EQ(difference(bytes, ::si::v1::UpdateRequest()), "");
    if (!wire::read(schema_of(::si::v1::UpdateRequest()), bytes, arena, batch, refusal)) return nullptr;
    return reinterpret_cast<const tenon_rm_ask *>(batch.messages.at(0));
  }

  std::string bytes;
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
};

std::string_view view(const tenon_text &text) { return {text.data, text.length}; }

std::string quantity(std::string_view type, std::string_view inside) {
  return field(0x0a, field(0x0a, type) + field(0x12, inside));
}

TEST_F(WireAsk, AMessageThatComesTwiceIsOne) {
  const tenon_rm_ask *found =
      read(field(0x22, quantity("vcore", "\x08\x01") + quantity("memory", "\x08\x05")) + field(0x0a, "key") +
           field(0x22, quantity("vcore", "\x08\x02") + quantity("disk", "")) + field(0x32, field(0x12, "high")) +
           field(0x32, "\x08\x07"));
  ASSERT_NE(found, nullptr) << refusal;
  ASSERT_EQ(found->resources.count, 3u);
  EXPECT_EQ(view(found->resources.types[0]), "disk");
  EXPECT_EQ(found->resources.values[1], 5);
  EXPECT_EQ(found->resources.values[2], 2);
  EXPECT_EQ(found->priority.kind, TENON_PRIORITY_VALUE);
  EXPECT_EQ(found->priority.value, 7);
}

// One after the other they would be a message; each by itself is none.
TEST_F(WireAsk, TwoHalvesOfAFieldAreNoMessage) {
  EXPECT_EQ(read(field(0x32, "\x12\x02") + field(0x32, "\x0a")), nullptr);
  EXPECT_EQ(read(field(0x32, "\x0b") + field(0x32, "\x0c")), nullptr);
}

TEST_F(WireAsk, OfEqualNamesInAMapTheLastCounts) {
  const auto tag = [](std::string_view name, std::string_view value) {
    return field(0x42, field(0x0a, name) + field(0x12, value));
  };
  const tenon_rm_ask *found = read(tag("b", "1") + tag("a", "2") + tag("b", "3") + field(0x42, field(0x12, "no name")) +
                                   field(0x42, field(0x0a, "c") + field(0x12, "4") + field(0x12, "5")));
  ASSERT_NE(found, nullptr) << refusal;
  ASSERT_EQ(found->tags.count, 4u);
  EXPECT_EQ(view(found->tags.names[0]), "");
  EXPECT_EQ(view(found->tags.values[2]), "3");
  EXPECT_EQ(view(found->tags.values[3]), "5");
}

TEST_F(WireAsk, TextsAreUtf8) {
  for (const std::string_view good : {"gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac", "\xf4\x8f\xbf\xbf", "\xef\xbf\xbf"}) {
    const tenon_rm_ask *found = read(field(0x0a, good));
    ASSERT_NE(found, nullptr) << refusal;
    EXPECT_EQ(view(found->key), good);
  }
  for (const std::string_view bad :
       {"\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "\xff", "twelve byte\x80"}) {
    EXPECT_EQ(read(field(0x0a, bad)), nullptr) << bad;
    EXPECT_EQ(read(field(0x0a, bad) + field(0x0a, "good")), nullptr) << "each time it comes";
    EXPECT_EQ(read(field(0x42, field(0x12, bad))), nullptr);
    EXPECT_NE(read(field(0x7a, bad)), nullptr) << "unknown fields are bytes";
  }
}

TEST_F(WireAsk, EveryTwoAndThreeBytesAreUtf8AsToProtobuf) {
  const ::si::v1::UpdateRequest type;
  for (uint32_t first = 0x7f; first < 0x100; ++first) {
    for (uint32_t second = 0; second < 0x100; ++second) {
      std::string text{static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(difference(ask(field(0x0a, text)), type), "");
      for (const char last : {'\x00', '\x7f', '\x80', '\xbf', '\xc0'}) {
        ASSERT_EQ(difference(ask(field(0x0a, text + last)), type), "");
      }
    }
  }
}

TEST_F(WireAsk, NumbersMayBeLongerThanTheyNeedBe) {
  using namespace std::string_view_literals;
  EXPECT_NE(read("\x8a\x00\x01k"sv), nullptr) << "a tag";
  EXPECT_NE(read("\x8a\x80\x80\x80\x00\x01k"sv), nullptr);
  EXPECT_EQ(read("\x8a\x80\x80\x80\x80\x00\x01k"sv), nullptr);
  EXPECT_NE(read("\x0a\x81\x80\x80\x80\x00k"sv), nullptr) << "a length";
  EXPECT_EQ(read("\x0a\x81\x80\x80\x80\x08k"sv), nullptr);
  EXPECT_EQ(read("\x0a\x81\x80\x80\x80\x80\x00k"sv), nullptr);
  const tenon_rm_ask *found =
      read("\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x28\x83\x80\x80\x80\x10\x50\x80\x02"sv);
  ASSERT_NE(found, nullptr) << refusal;
  EXPECT_EQ(found->execution_timeout_ms, -1);
  EXPECT_EQ(found->max_allocations, 3);
  EXPECT_EQ(found->placeholder, 1u);
  EXPECT_EQ(read("\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), nullptr);
}

// One of several, so that it is sent although it is 0.
TEST_F(WireAsk, APriorityOfZeroIsAValue) {
  using namespace std::string_view_literals;
  const tenon_rm_ask *found = read(field(0x32, "\x08\x00"sv));
  ASSERT_NE(found, nullptr) << refusal;
  EXPECT_EQ(found->priority.kind, TENON_PRIORITY_VALUE);
  found = read(field(0x32, "\x12\x00"sv));
  ASSERT_NE(found, nullptr) << refusal;
  EXPECT_EQ(found->priority.kind, TENON_PRIORITY_CLASS);
  found = read(field(0x32, ""));
  ASSERT_NE(found, nullptr) << refusal;
  EXPECT_EQ(found->priority.kind, TENON_PRIORITY_EMPTY);
}

TEST_F(WireAsk, WhatIsOfAnotherKindIsUnknownAndKept) {
  const tenon_rm_ask *found = read(std::string("\x08\x01\x25wxyz", 7) + field(0x2a, "five") + "\x0b\x10\x01\x0c");
  ASSERT_NE(found, nullptr) << refusal;
  EXPECT_EQ(found->key.length, 0u);
  EXPECT_EQ(found->detail.length, 2u + 5 + 6 + 4);
  EXPECT_EQ(read("\x0b\x10\x01\x14"), nullptr) << "a group that another one ends";
  EXPECT_EQ(read("\x0c"), nullptr);
  EXPECT_EQ(read("\x0e\x01"), nullptr);
}

TEST_F(WireAsk, GroupsAreNotNestedWithoutEnd) {
  const auto nested = [](size_t depth) { return std::string(depth, '\x7b') + std::string(depth, '\x7c'); };
  EXPECT_NE(read(nested(60)), nullptr) << refusal;
  bytes = std::string("\x7b\x7b") + std::string(100'000, '\x7b');
  EXPECT_FALSE(wire::read(schema_of(::si::v1::AllocationAsk()), bytes, arena, batch, refusal));
}

// Of a quantity whose type is still there; what belonged to another one goes with it.
TEST_F(WireAsk, WhatIsUnknownOfAQuantityStaysWithIt) {
  const tenon_rm_ask *found = read(field(0x22, quantity("vcore", "\x08\x05\x50\x01") + quantity("memory", "\x50\x02")));
  ASSERT_NE(found, nullptr) << refusal;
  const tenon_text types[] = {found->resources.types[1]};
  const int64_t values[] = {6};
  tenon_rm_ask changed = *found;
  changed.resources = {types, values, 1, 1};
  std::string out;
  ASSERT_TRUE(wire::append(schema_of(::si::v1::UpdateRequest()), reinterpret_cast<const tenon_rm_message *>(&changed),
                           out, refusal))
      << refusal;
  EXPECT_EQ(out, ask(field(0x22, quantity("vcore", "\x50\x01\x08\x06"))));
}

TEST(WireBytes, BytesThatAreNoMessageAreRefusedInWords) {
  wire::arena arena;
  wire::batch batch;
  std::string refusal;
  EXPECT_FALSE(wire::read(wire::schema_of(wire::dialect::first, "UpdateRequest"), "\xff\xff", arena, batch, refusal));
  EXPECT_EQ(refusal,
            "UpdateRequest: want a message of this type, found 2 bytes that are none; send one that protobuf wrote, "
            "with texts in UTF-8");
}

TEST(WireBytes, PartsHaveTheOrderInWhichTheyTakeEffect) {
  const wire::schema &response = wire::schema_of(wire::dialect::first, "UpdateResponse");
  EXPECT_LT(wire::rank_of(response, TENON_RM_ACCEPTED_APPLICATION), wire::rank_of(response, TENON_RM_ALLOCATION));
  EXPECT_LT(wire::rank_of(response, TENON_RM_ALLOCATION), wire::rank_of(response, TENON_RM_RELEASE));
  EXPECT_EQ(wire::rank_of(response, TENON_RM_REJECTED_ALLOCATION), -1);
}

}  // namespace
}  // namespace tenon::testing
