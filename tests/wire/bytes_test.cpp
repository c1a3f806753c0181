// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes read and written without protobuf objects: the same as through them, for all fields, for noise and damage.
#include "tenon/wire/bytes.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;

[[maybe_unused]] const bool quiet = (pb::SetLogHandler(nullptr), true);

// Messages with parts, in both dialects.
std::vector<any_message> every_envelope() {
  std::vector<any_message> out;
  for (any_message &message : every_message()) {
    const std::string &name = message->GetDescriptor()->name();
    if (name.ends_with("Request") || name.ends_with("Response")) {
      try {
        wire::schema_of(wire::dialect_of(*message), name);
        out.push_back(std::move(message));
      } catch (const std::logic_error &) {
      }
    }
  }
  return out;
}

const wire::schema &schema_of(const pb::Message &message) {
  return wire::schema_of(wire::dialect_of(message), message.GetDescriptor()->name());
}

std::string written(const wire::batch &batch, const pb::Message &type) {
  const std::unique_ptr<pb::Message> out(type.New());
  std::string refusal;
  return wire::write(batch, *out, refusal) ? bytes_of(*out) : "not written: " + refusal;
}

// Reads bytes in both ways; an empty text, or how they differ.
std::string difference(const std::string &bytes, const pb::Message &type) {
  wire::room plain_memory;
  wire::room byte_capacity;
  wire::batch plain;
  wire::batch quick;
  std::string plain_refusal;
  std::string quick_refusal;
  const std::unique_ptr<pb::Message> message(type.New());
  const bool parsed = message->ParseFromString(bytes);
  const bool read = parsed && wire::read(*message, plain_memory, plain, plain_refusal);
  const bool same = wire::read_bytes(schema_of(type), bytes, byte_capacity, quick, quick_refusal);
  if (read != same) {
    return read ? "refused bytes only: " + quick_refusal : "took bytes only";
  }
  if (!read) {
    return parsed && plain_refusal != quick_refusal ? plain_refusal + " and " + quick_refusal : "";
  }
  if (written(plain, type) != written(quick, type)) {
    return "different structs of\n" + message->DebugString();
  }
  return plain.messages.size() == quick.messages.size() ? "" : "another count of messages";
}

// The parts one by one make the message that all of them make.
std::string appended(const pb::Message &message) {
  wire::room room;
  wire::batch parts;
  std::string refusal;
  if (!wire::read(message, room, parts, refusal)) {
    return refusal;
  }
  parts.detail = {};
  parts.rm = {};
  std::erase_if(parts.messages, [](const tenon_rm_message *part) { return part->type == TENON_RM_RESYNC; });
  std::string bytes;
  for (const tenon_rm_message *part : parts.messages) {
    if (!wire::append_bytes(schema_of(message), part, bytes, refusal)) {
      return refusal;
    }
  }
  const std::unique_ptr<pb::Message> back(message.New());
  if (!back->ParseFromString(bytes)) {
    return "no message";
  }
  return bytes_of(*back) == written(parts, message) ? "" : "another message: " + back->DebugString();
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

TEST(WireBytes, BytesThatAreNoMessageAreRefusedInWords) {
  wire::room room;
  wire::batch batch;
  std::string refusal;
  EXPECT_FALSE(
      wire::read_bytes(wire::schema_of(wire::dialect::first, "UpdateRequest"), "\xff\xff", room, batch, refusal));
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
