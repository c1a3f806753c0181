// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The two forms of an ask: answers come in the fields of the form that the RM uses.
#include "suite_case.hpp"

namespace tenon::interface {
namespace {

class Forms : public Interface {
 protected:
  // In the form of the case: asks, or allocations without node.
  static void add(requests &to, const ask_of &what, bool by_allocation) {
    by_allocation ? to.ask_by_allocation(what) : to.ask(what);
  }
  void expect_refused_as(uint32_t type, bool by_allocation) {
    enter();
    requests asks;
    add(asks, {.application = "nobody", .key = "a"}, by_allocation);
    submit(asks);
    EXPECT_NE(expect(type, "a").words, "");
  }
  // A gang of two of which one has room gives up; what waits for it runs then.
  void expect_withdrawn_as(uint32_t type, bool by_allocation) {
    enter();
    requests batch;
    batch.gang("app-1", {{"vcore", 2'000}}, "soft", 1'000).node("node-1", {{"vcore", 1'000}});
    submit(batch);
    expect(TENON_RM_ACCEPTED_APPLICATION, "app-1");
    expect(TENON_RM_ACCEPTED_NODE, "node-1");
    requests asks;
    add(asks, {.key = "ph-1", .task_group = "tg", .placeholder = true}, by_allocation);
    add(asks, {.key = "ph-2", .task_group = "tg", .placeholder = true}, by_allocation);
    submit(asks);
    expect(TENON_RM_ALLOCATION, "ph-1");
    const bool names_keys = !GetParam().about.first_dialect;
    const heard placed = expect(TENON_RM_RELEASE, names_keys ? "ph-1" : "app-1");
    EXPECT_EQ(placed.number, TENON_TERMINATION_TIMEOUT);
    const heard pending = expect(type, "ph-2");
    EXPECT_EQ(pending.number, TENON_TERMINATION_TIMEOUT);
    EXPECT_EQ(pending.application, "app-1");
    EXPECT_EQ(pending.partition, "default");
    EXPECT_EQ(pending.uuid, "") << "nothing of it ran";
    requests confirm;
    confirm.release("app-1", names_keys ? "ph-1" : "", placed.uuid, TENON_TERMINATION_TIMEOUT);
    submit(confirm);
    requests real;
    add(real, {.key = "real-1", .task_group = "tg"}, by_allocation);
    submit(real);
    expect(TENON_RM_ALLOCATION, "real-1");
  }
};

TEST_P(Forms, AskThatIsRefusedToldAsAnAsk) { expect_refused_as(TENON_RM_REJECTED_ASK, false); }

TEST_P(Forms, AskThatIsWithdrawnToldAsAnAsk) { expect_withdrawn_as(TENON_RM_ASK_RELEASE, false); }

TEST_P(Forms, AllocationWithoutNodeThatIsRefusedToldAsAnAllocation) {
  if (GetParam().about.first_dialect) GTEST_SKIP() << "the first dialect asks by asks alone";
  expect_refused_as(TENON_RM_REJECTED_ALLOCATION, true);
}

TEST_P(Forms, AllocationWithoutNodeThatIsWithdrawnToldAsAnAllocation) {
  if (GetParam().about.first_dialect) GTEST_SKIP() << "the first dialect asks by asks alone";
  expect_withdrawn_as(TENON_RM_RELEASE, true);
}

INSTANTIATE_TEST_SUITE_P(, Forms, ::testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace tenon::interface
