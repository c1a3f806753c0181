// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Kernels in one process do not see each other.
#include <gtest/gtest.h>

#include "cluster.hpp"

namespace tenon::testing {
namespace {

void fill(cluster &c, const std::string &prefix) {
  c.add_node(prefix + "-node", {{"vcore", 4000}});
  c.add_app("app", "root.leaf");
  for (int i = 0; i < 3; ++i) c.ask("app", "ask-" + std::to_string(i), {{"vcore", 1000}});
}

TEST(Isolation, TwoKernelsShareNothing) {
  cluster alone({named_queue("leaf")});
  fill(alone, "a");
  alone.settle();

  cluster first({named_queue("leaf")}), second({named_queue("leaf")});
  fill(first, "a");
  second.add_node("b-other", {{"memory", 1}, {"odd", 7}});  // other types and sequence numbers
  fill(second, "b");
  second.settle();
  first.settle();

  EXPECT_EQ(first.decisions(), alone.decisions());
  EXPECT_EQ(first->snapshot().partitions[0].nodes.size(), 1U);
  EXPECT_EQ(second->snapshot().partitions[0].nodes.size(), 2U);
  EXPECT_EQ(second.placed("app", "ask-2"), 1U);
}

}  // namespace
}  // namespace tenon::testing
