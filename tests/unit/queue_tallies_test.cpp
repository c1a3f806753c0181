// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is counted by queue: as many names as there is room for, of which those of gone partitions make way for others.
#include "queue_tallies.hpp"

#include <gtest/gtest.h>

#include "ended_applications.hpp"
#include "kernel/cluster.hpp"

namespace tenon::observe {
namespace {

decision_view in_queue(const decided_what &what, std::string_view partition, std::string_view queue) {
  decision_view d;
  d.what = what;
  d.partition = partition;
  d.queue = queue;
  return d;
}

TEST(QueueTallies, NamesOfGonePartitionsMakeWayWhereThereIsNoRoom) {
  testing::cluster c{{testing::named_queue("leaf")}};
  const std::string here(testing::default_partition);
  queue_tallies all;
  const auto count = [&](const std::string &partition, const std::string &queue) {
    const decision_view d = in_queue(decided::reserved{}, partition, queue);
    all.count({&d, 1});
  };
  count(here, "root.leaf");
  count("[gone]default", "root.leaf");
  all.forget_gone(*c);
  EXPECT_EQ(all.all().size(), 2U) << "there is room";
  for (size_t i = 0; i < queue_tallies::most_queues; ++i) count("[gone-" + std::to_string(i) + "]default", "root.leaf");
  count(here, "root.other");
  EXPECT_FALSE(all.all().contains(queue_tallies::where{here, "root.other"}));
  all.forget_gone(*c);
  count(here, "root.other");
  EXPECT_EQ(all.all().size(), 3U) << "with those that were counted without a name";
  EXPECT_EQ(all.all().at(queue_tallies::where{here, "root.leaf"}).reserved, 1U);
  EXPECT_EQ(all.all().at(queue_tallies::where{here, "root.other"}).reserved, 1U);
}

TEST(EndedApplications, NamesOfGonePartitionsMakeWayWhereThereIsNoRoom) {
  testing::cluster c{{testing::named_queue("leaf")}};
  const std::string here(testing::default_partition);
  ended_applications all;
  const auto count = [&](const std::string &partition, const std::string &queue) {
    all.count(in_queue(decided::application_rejected{}, partition, queue));
  };
  count(here, "root.leaf");
  for (size_t i = 0; i < 30'000; ++i) count("[gone]default", "root.q" + std::to_string(i));
  count(here, "root.other");
  EXPECT_EQ(all.all().size(), 30'000U);
  all.forget_gone(*c);
  count(here, "root.other");
  EXPECT_EQ(all.all().size(), 2U);
}

}  // namespace
}  // namespace tenon::observe
