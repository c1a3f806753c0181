// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Requests in pieces: together they say what the whole says, in the same order.
#include "tenon/wire/pieces.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <random>

#include "messages.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::testing {
namespace {

namespace pb = google::protobuf;
namespace first = ::si::v1;
using ::testing::HasSubstr;

// What a request says, part by part; or that it is refused.
std::string said(const wire::batch &batch, const pb::Message &type) {
  const std::unique_ptr<pb::Message> out(type.New());
  std::string refusal;
  wire::batch parts = batch;
  parts.detail = {};
  return write(parts, *out, refusal) ? bytes_of(*out) : "not written: " + refusal;
}

struct in_pieces {
  std::string refusal;
  size_t count = 0;
  size_t most_parts = 0;
  std::vector<uint32_t> kinds;  // of parts, in order
  std::unique_ptr<pb::Message> all;
};

in_pieces cut(const std::string &bytes, const pb::Message &type) {
  in_pieces out;
  wire::pieces from(schema_of(type));
  if (!from.begin(bytes, out.refusal)) return out;
  out.all.reset(type.New());
  for (std::string_view piece; from.next(piece); ++out.count) {
    wire::arena arena;
    wire::batch batch;
    if (!wire::read(schema_of(type), piece, arena, batch, out.refusal)) return out;
    out.most_parts = std::max(out.most_parts, batch.messages.size());
    for (const tenon_rm_message *each : batch.messages) out.kinds.push_back(each->type);
    const std::unique_ptr<pb::Message> one(type.New());
    EXPECT_TRUE(one->ParseFromString(said(batch, type)));
    out.all->MergeFrom(*one);
  }
  return out;
}

TEST(WirePieces, TogetherSayWhatTheWholeSays) {
  std::mt19937_64 random(17);
  size_t several = 0;
  for (const any_message &message : every_message()) {
    if (!message->GetDescriptor()->name().ends_with("Request")) continue;
    try {
      schema_of(*message);
    } catch (const std::logic_error &) {
      continue;
    }
    for (int round = 0; round < 2; ++round) {
      const std::unique_ptr<pb::Message> large(message->New());
      for (int i = 0; i < (round == 0 ? 20 : 80); ++i) {
        fill(*message, random, round == 0);
        large->MergeFrom(*message);
      }
      const std::string bytes = bytes_of(*large);
      wire::arena arena;
      wire::batch whole;
      std::string refusal;
      const bool read = wire::read(schema_of(*message), bytes, arena, whole, refusal);
      const in_pieces pieces = cut(bytes, *message);
      ASSERT_EQ(read, pieces.refusal.empty()) << message->GetDescriptor()->full_name() << refusal << pieces.refusal;
      if (!read) continue;
      EXPECT_EQ(said(whole, *message), bytes_of(*pieces.all)) << message->GetDescriptor()->full_name();
      std::vector<uint32_t> kinds;
      for (const tenon_rm_message *each : whole.messages) kinds.push_back(each->type);
      EXPECT_EQ(kinds, pieces.kinds);
      several += pieces.count > 1 ? 1 : 0;
    }
  }
  EXPECT_GE(several, 3u);
}

TEST(WirePieces, HaveFewParts) {
  first::UpdateRequest request;
  request.set_rmid("a");
  for (int i = 0; i < 10'000; ++i) request.add_asks()->set_allocationkey(std::to_string(i));
  for (int i = 0; i < 5'000; ++i) request.mutable_releases()->add_allocationstorelease();
  const in_pieces pieces = cut(bytes_of(request), request);
  EXPECT_EQ(pieces.refusal, "");
  EXPECT_EQ(pieces.kinds.size(), 15'000u);
  EXPECT_EQ(pieces.most_parts, wire::pieces::parts_of_piece);
}

TEST(WirePieces, NameTheRmBeforeAnythingIsRead) {
  first::UpdateRequest request;
  request.add_asks()->set_allocationkey("key");
  request.set_rmid("the RM");
  const std::string bytes = bytes_of(request);
  wire::pieces from(schema_of(request));
  std::string refusal;
  ASSERT_TRUE(from.begin(bytes, refusal));
  EXPECT_EQ(from.rm(), "the RM");
}

TEST(WirePieces, OfBytesThatAreNoMessageThereAreNone) {
  const first::UpdateRequest request;
  for (const std::string &bytes :
       {std::string("\x0a\x7f"), std::string("\x3a\x02\x0a\x7f"), std::string("\x0b\x0c"), std::string(20, '\xff')}) {
    EXPECT_THAT(cut(bytes, request).refusal, HasSubstr("want a message of this type"));
  }
}

TEST(WirePieces, WhatWouldBeMuchInMemoryIsRefused) {
  first::UpdateRequest request;
  request.add_asks()->set_allocationkey(std::string(600'000, 'k'));
  EXPECT_THAT(cut(bytes_of(request), request).refusal,
              HasSubstr("AllocationAsk: want at most 524288 bytes, found 6000"));
  request.Clear();
  auto &node = *request.add_newschedulablenodes();
  for (int i = 0; i < 10'000; ++i) node.add_existingallocations();
  EXPECT_THAT(cut(bytes_of(request), request).refusal, HasSubstr("want at most 8192 fields, found 10000"));
  request.Clear();
  const auto unknown = request.GetReflection()->MutableUnknownFields(&request);
  for (int i = 0; i < 200'000; ++i) unknown->AddVarint(100, 1);
  EXPECT_THAT(cut(bytes_of(request), request).refusal, HasSubstr("bytes beside its parts"));
}

// It is skipped as any field, so that what is behind it counts.
TEST(WirePieces, AGroupHidesNothing) {
  first::NewNodeInfo node;
  for (int i = 0; i < 10'000; ++i) node.add_existingallocations();
  const std::string inside = "\x7b\x7c" + bytes_of(node);
  first::UpdateRequest request;
  request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(3, inside);
  EXPECT_THAT(cut(bytes_of(request), request).refusal, HasSubstr("want at most 8192 fields, found 10001"));
  si::v1later::RegisterResourceManagerRequest registration;
  registration.set_config("partitions: []");
  std::string refusal;
  size_t config_bytes = 0;
  EXPECT_FALSE(wire::is_moderate_registration("\x7b\x7c" + bytes_of(registration), config_bytes, refusal));
  EXPECT_THAT(refusal, HasSubstr("want a message of this type"));
}

TEST(WirePieces, ARegistrationIsModerate) {
  si::v1later::RegisterResourceManagerRequest request;
  request.set_config(std::string(4'000'000, 'c'));
  for (int i = 0; i < 4'000; ++i) (*request.mutable_extraconfig())[std::to_string(i)] = "value";
  std::string refusal;
  size_t config_bytes = 0;
  EXPECT_TRUE(wire::is_moderate_registration(bytes_of(request), config_bytes, refusal)) << refusal;
  EXPECT_EQ(config_bytes, 4'000'000 + 5);  // with its tag and length
  for (int i = 0; i < 10'000; ++i) (*request.mutable_buildinfo())[std::to_string(i)] = "";
  EXPECT_FALSE(wire::is_moderate_registration(bytes_of(request), config_bytes, refusal));
  EXPECT_THAT(refusal, HasSubstr("want at most 8192 fields"));
}

}  // namespace
}  // namespace tenon::testing
