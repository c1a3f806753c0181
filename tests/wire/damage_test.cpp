// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes that no RM should send: they are no message, or are refused, or come back as they were. Nothing crashes.
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include "messages.hpp"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;

// Protobuf prints a line for each text that is no UTF-8.
[[maybe_unused]] const bool quiet = (pb::SetLogHandler(nullptr), true);

struct tally {
  int no_message = 0;
  int refused = 0;
  int same = 0;
};

void try_bytes(const std::string &bytes, const pb::Message &type, tally &into) {
  const std::unique_ptr<pb::Message> message(type.New());
  if (!message->ParseFromString(bytes)) {
    ++into.no_message;
    return;
  }
  const std::string said = through_structs(*message);
  if (said.starts_with("refused: ")) {
    ++into.refused;
    return;
  }
  ASSERT_EQ(said, "");
  ++into.same;
}

TEST(WireDamage, DamagedMessagesAreRefusedOrComeBack) {
  std::mt19937_64 random(4711);
  tally seen;
  for (int round = 0; round < 400; ++round) {
    for (const any_message &message : every_message()) {
      fill(*message, random, true);
      std::string bytes = bytes_of(*message);
      for (uint64_t hits = 1 + random() % 4; hits > 0 && !bytes.empty(); --hits) {
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
      ASSERT_NO_FATAL_FAILURE(try_bytes(bytes, *message, seen)) << message->GetDescriptor()->full_name();
    }
  }
  EXPECT_GT(seen.no_message, 100);
  EXPECT_GT(seen.refused, 5);
  EXPECT_GT(seen.same, 100);
}

TEST(WireDamage, NoiseIsRefusedOrComesBack) {
  std::mt19937_64 random(815);
  tally seen;
  for (int round = 0; round < 300; ++round) {
    for (const any_message &message : every_message()) {
      std::string bytes(random() % 30, '\0');
      for (char &each : bytes) {
        each = static_cast<char>(random() % 3 ? random() % 64 : random());
      }
      ASSERT_NO_FATAL_FAILURE(try_bytes(bytes, *message, seen)) << message->GetDescriptor()->full_name();
    }
  }
  EXPECT_GT(seen.no_message, 100);
  EXPECT_GT(seen.same, 100);
}

TEST(WireDamage, OneTypeIsReadAsAnother) {
  std::mt19937_64 random(99);
  tally seen;
  const std::vector<any_message> types = every_message();
  for (const any_message &message : types) {
    fill(*message, random, true);
    for (const any_message &other : types) {
      ASSERT_NO_FATAL_FAILURE(try_bytes(bytes_of(*message), *other, seen));
    }
  }
  EXPECT_GT(seen.same, 100);
}

TEST(WireDamage, ForeignDetailIsRefused) {
  const std::vector<any_message> types = every_message();
  wire::room room;
  for (const any_message &type : types) {
    wire::batch batch;
    std::string refusal;
    ASSERT_TRUE(wire::read(*type, room, batch, refusal));
    const std::string foreign = "\xff\xff\xff";
    batch.detail = {foreign.data(), foreign.size()};
    const std::unique_ptr<pb::Message> back(type->New());
    if (!wire::write(batch, *back, refusal)) {
      EXPECT_NE(refusal.find(".detail: "), std::string::npos) << refusal;
    }
  }
}

}  // namespace
}  // namespace tenon::testing
