// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Damaged requests go all the way, from bytes through structs into the kernel: refused or decided, and the scheduler
// works on.
#include <google/protobuf/stubs/logging.h>

#include <random>
#include <string>

#include "messages.hpp"
#include "service_case.hpp"
#include "si/v1/si.pb.h"
#include "tenon/si/v1later/si.pb.h"

namespace tenon::service::testing {
namespace {

namespace pb = google::protobuf;

[[maybe_unused]] const bool quiet = (pb::SetLogHandler(nullptr), true);

struct FromBytes : service_case {
  // Random requests, some of their bytes changed; how many reached the scheduler.
  size_t damage(const pb::Message &type, uint64_t session, std::mt19937_64 &random, int rounds) {
    const wire::schema &of = tenon::testing::schema_of(type);
    size_t reached = 0;
    for (int round = 0; round < rounds; ++round) {
      const std::unique_ptr<pb::Message> message(type.New());
      tenon::testing::fill(*message, random, round % 3 == 0);
      std::string bytes = tenon::testing::bytes_of(*message);
      for (uint64_t hits = random() % 4; hits > 0 && !bytes.empty(); --hits) {
        bytes[random() % bytes.size()] = static_cast<char>(random());
      }
      wire::arena arena;
      wire::batch batch;
      std::string refusal;
      if (!wire::read(of, bytes, arena, batch, refusal)) continue;
      const interface::outcome out = fake_.submit(session, batch.messages);
      EXPECT_TRUE(out.status == TENON_OK || out.status == TENON_INVALID_CONFIG) << out.words;
      reached += out.status == TENON_OK ? 1 : 0;
      settle();
    }
    return reached;
  }
};

TEST_F(FromBytes, DamagedRequestsNeverStopTheScheduler) {
  for (const uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    open(manual());
    const uint64_t session = enter();
    size_t reached = damage(::si::v1::UpdateRequest(), session, random, 200);
    reached += damage(tenon::si::v1later::AllocationRequest(), session, random, 200);
    reached += damage(tenon::si::v1later::ApplicationRequest(), session, random, 200);
    reached += damage(tenon::si::v1later::NodeRequest(), session, random, 200);
    EXPECT_GT(reached, 50u);
    const uint64_t after = enter("rm-2");
    const size_t before = heard(after, TENON_RM_ALLOCATION).size();
    submit(after, cluster(2, 5));
    settle();
    EXPECT_EQ(heard(after, TENON_RM_ALLOCATION).size() - before, 5u);
  }
}

}  // namespace
}  // namespace tenon::service::testing
