// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Bytes that no RM should send: they are no message, or are refused, or come back as they were. Nothing crashes.
#include <gtest/gtest.h>

#include "messages.hpp"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;

struct tally {
  int no_message = 0;
  int refused = 0;
  int same = 0;
};

void try_bytes(const std::string &bytes, const pb::Message &type, tally &into) {
  ASSERT_EQ(difference(bytes, type), "");
  const std::unique_ptr<pb::Message> message(type.New());
  if (!message->ParseFromString(bytes)) {
    ++into.no_message;
  } else {
    ++(has_undefined_number(*message) ? into.refused : into.same);
  }
}

// Fields of any number and kind, in any length that protobuf takes or does not: far more of them are a message than of
// noise.
std::string random_fields(std::mt19937_64 &random, int depth);

std::string random_varint(std::mt19937_64 &random, uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
  for (uint64_t longer = random() % 12 == 0 ? random() % 10 : 0; longer > 0; --longer) {
    out.back() = static_cast<char>(out.back() | 0x80);
    out += static_cast<char>(random() % 8 == 0 ? random() % 128 : 0);
  }
  return out;
}

std::string random_inside(std::mt19937_64 &random, int depth) {
  static const std::vector<std::string> texts{"",
                                              "a",
                                              "b",
                                              "vcore",
                                              "gr\xc3\xbc\xc3\x9f",
                                              "\xe2\x82\xac",
                                              "\xc3",
                                              "\xed\xa0\x80",
                                              "\xf4\x90\x80\x80",
                                              "\xc0\x80",
                                              "\xf0\x9f\x98\x80"};
  return depth == 0 || random() % 3 == 0 ? texts[random() % 24 == 0 ? random() % texts.size() : random() % 6]
                                         : random_fields(random, depth - 1);
}

std::string random_field(std::mt19937_64 &random, int depth) {
  const uint64_t number = random() % 20 == 0 ? random() % 40 : 1 + random() % (random() % 2 == 0 ? 3 : 12);
  switch (random() % 40) {
    case 0:
      return random_varint(random, number << 3 | 1) + std::string(8, 'x');
    case 1:
      return random_varint(random, number << 3 | 5) + std::string(4, 'x');
    case 2:
      return random_varint(random, number << 3 | 3) + (depth > 0 ? random_fields(random, depth - 1) : "") +
             random_varint(random, (random() % 20 == 0 ? 1 : number) << 3 | 4);
    case 3:
      return random_varint(random, number << 3 | random() % 8);
    default:
      break;
  }
  if (random() % 3 == 0) return random_varint(random, number << 3) + random_varint(random, random() >> random() % 64);
  const std::string inside = random_inside(random, depth);
  return random_varint(random, number << 3 | 2) + random_varint(random, inside.size()) + inside;
}

std::string random_fields(std::mt19937_64 &random, int depth) {
  std::string out;
  for (uint64_t count = random() % 5; count > 0; --count) out += random_field(random, depth);
  return out;
}

TEST(WireDamage, RandomFieldsAreTakenAsByProtobuf) {
  std::mt19937_64 random(20'261'123);
  tally seen;
  for (int round = 0; round < 1'500; ++round) {
    for (const any_message &message : every_message()) {
      ASSERT_NO_FATAL_FAILURE(try_bytes(random_fields(random, 5), *message, seen))
          << message->GetDescriptor()->full_name() << ", round " << round;
    }
  }
  EXPECT_GT(seen.no_message, 10'000);
  EXPECT_GT(seen.refused, 100);
  EXPECT_GT(seen.same, 10'000);
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
  wire::arena arena;
  for (const any_message &type : types) {
    wire::batch batch;
    std::string bytes, refusal;
    ASSERT_TRUE(read(*type, bytes, arena, batch, refusal));
    const std::string foreign = "\xff\xff\xff";
    batch.detail = {foreign.data(), foreign.size()};
    const std::unique_ptr<pb::Message> back(type->New());
    if (!write(batch, *back, refusal)) {
      EXPECT_NE(refusal.find(".detail: "), std::string::npos) << refusal;
    }
  }
}

}  // namespace
}  // namespace tenon::testing
