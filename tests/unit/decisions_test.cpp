// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "tenon/kernel/decisions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace tenon {

using namespace std::string_view_literals;

namespace {

decision_view allocation() {
  decision_view d;
  d.sequence = 42;
  d.now_ms = 1'600'000'000'000;
  d.what = decided::allocated{};
  d.allocation_sequence = 7;
  d.rm = "rm-1";
  d.partition = "[rm-1]default";
  d.application = "app-1";
  d.key = "ask-1";
  d.node = "node-1";
  d.queue = "root.a";
  return d;
}

TEST(DecisionLine, IsAsItWillAlwaysBe) {
  EXPECT_EQ(format(allocation()),
            "42\t1600000000000\tallocated\trm-1\t[rm-1]default\tapp-1\task-1\t7\tnode-1\troot.a\t-\t-\t-");
  decision_view release = allocation();
  release.what = decided::released{termination::placeholder_replaced, {cause::given, "replaced"}, {}};
  release.placeholder = true;
  EXPECT_EQ(format(release),
            "42\t1600000000000\treleased\trm-1\t[rm-1]default\tapp-1\task-1\t7\tnode-1\troot.a\tplaceholder\t"
            "PLACEHOLDER_REPLACED\treplaced");
  decision_view empty;
  empty.what = decided::ask_released{};
  EXPECT_EQ(format(empty), "0\t0\task_released\t-\t-\t-\t-\t-\t-\t-\t-\tUNKNOWN_TERMINATION_TYPE\t-");
}

TEST(DecisionLine, StaysOneLineOfThirteenFields) {
  decision_view d = allocation();
  const std::string_view hostile = "a\tb\nc\rd\\e\0f\x1b\x7f"sv;
  d.application = d.key = d.node = d.queue = d.rm = d.partition = hostile;
  d.what = decided::ask_rejected{hostile};
  const std::string line = format(d);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 12);
  EXPECT_EQ(std::count_if(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 && c != '\t'; }), 0);
  EXPECT_NE(line.find(R"(a\tb\nc\rd\\e\x00f\x1b\x7f)"), std::string::npos) << line;
}

TEST(DecisionLine, KeepsTextsApart) {
  std::set<std::string> lines;
  const std::string_view texts[] = {"", "-", "\\-", "\\", "\t", "\\t", "\n", "\\n", "n", "\\x00", "\0"sv};
  for (const std::string_view text : texts) {
    decision_view d = allocation();
    d.what = decided::ask_rejected{text};
    EXPECT_TRUE(lines.insert(format(d)).second) << text;
  }
}

TEST(DecisionLine, LeavesUtf8AsItIs) {
  decision_view d = allocation();
  d.what = decided::node_rejected{"Größe 鍵"};
  EXPECT_THAT(format(d), testing::EndsWith("\tGröße 鍵"));
}

template <size_t... at, class Take>
void for_each_of(std::index_sequence<at...>, Take &&take) {
  (take(std::variant_alternative_t<at, decided_what>{}), ...);
}
template <class Take>
void for_each_kind(Take &&take) {
  for_each_of(std::make_index_sequence<decision_kinds>{}, take);
}

TEST(DecisionLine, ShowsWhyOnReleasesAlone) {
  for_each_kind([](auto what) {
    decision_view d = allocation();
    constexpr bool release = requires { what.end; };
    if constexpr (release) what.end = termination::timeout;
    d.what = what;
    EXPECT_EQ(end_of(d) != nullptr, release) << name(d.kind());
    EXPECT_EQ(format(d).find("TIMEOUT") != std::string::npos, release) << name(d.kind());
  });
}

TEST(DecisionLine, SaysInWordsWhatTheFieldsSay) {
  const auto text = [](const decided_what &what) {
    decision_view d = allocation();
    d.what = what;
    return text_of(d);
  };
  EXPECT_EQ(text(decided::allocated{}), "");
  EXPECT_EQ(text(decided::allocated{true, {}}), "existing");
  EXPECT_EQ(text(decided::application_state{application_state::completing, "nothing is left"}), "Completing");
  EXPECT_EQ(text(decided::container_state{true}), "SKIPPED");
  EXPECT_EQ(text(decided::container_state{false}), "FAILED");
  EXPECT_EQ(text(decided::proposed{"ph-1", {}}), "in place of ph-1");
  EXPECT_EQ(text(decided::unreserved{{cause::waited_too_long}}), "waited too long for node node-1");
  EXPECT_EQ(text(decided::released{termination::timeout, {cause::replaced, "ask-2"}, {}}),
            "replacing allocationKey: ask-2");
  EXPECT_EQ(text(decided::undone{{cause::check_refused, "no room"}, {}}),
            "the resource manager refuses node node-1: no room");
}

TEST(DecisionLine, EndsWithDevicesOrWithWhyAStateIsAnother) {
  decision_view d = allocation();
  d.what = decided::allocated{false, "gpu=500@0,3"};
  EXPECT_THAT(format(d), testing::EndsWith("\t-\tgpu=500@0,3"));
  d.what = decided::application_state{application_state::running, "an ask was added"};
  EXPECT_THAT(format(d), testing::EndsWith("\tRunning\tan ask was added"));
}

// Whoever reads a line knows the cause.
TEST(Causes, AreToldApart) {
  std::set<std::string> texts;
  for (int i = 0; i <= static_cast<int>(cause::too_much_asked); ++i) {
    decision_view d = allocation();
    d.what = decided::unreserved{{static_cast<cause>(i), "x"}};
    EXPECT_TRUE(texts.insert(text_of(d)).second) << text_of(d);
  }
}

TEST(DecisionNames, AreThoseOfTheEnum) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(decision_kind::canary_back); ++kind) {
    EXPECT_TRUE(names.insert(name(static_cast<decision_kind>(kind))).second);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre(
                         "rm_registered", "rm_rejected", "configured", "configuration_rejected", "application_accepted",
                         "application_rejected", "application_state", "ask_rejected", "ask_released", "allocated",
                         "released", "allocation_rejected", "node_accepted", "node_rejected", "node_update_rejected",
                         "reserved", "unreserved", "container_state", "proposed", "undone", "canary_back"));
  EXPECT_EQ(name(decision_kind::rm_registered), "rm_registered");
  EXPECT_EQ(name(decision_kind::ask_rejected), "ask_rejected");
  EXPECT_EQ(name(decision_kind::node_rejected), "node_rejected");
  EXPECT_EQ(name(decision_kind::container_state), "container_state");
  EXPECT_EQ(name(decision_kind::proposed), "proposed");
  EXPECT_EQ(name(decision_kind::undone), "undone");
}

TEST(TerminationNames, AreThoseOfTheInterface) {
  EXPECT_EQ(name(termination::stopped_by_rm), "STOPPED_BY_RM");
  EXPECT_EQ(name(termination::timeout), "TIMEOUT");
  EXPECT_EQ(name(termination::preempted_by_scheduler), "PREEMPTED_BY_SCHEDULER");
  EXPECT_EQ(name(termination::placeholder_replaced), "PLACEHOLDER_REPLACED");
  EXPECT_EQ(name(termination::unknown), "UNKNOWN_TERMINATION_TYPE");
  EXPECT_EQ(name(termination::scheduling_failed), "SCHEDULING_FAILED_ON_RM");
}

TEST(AllocationUuid, HasTheLayoutOfTheRfc) {
  decision_view d = allocation();
  for (d.allocation_sequence = 0; d.allocation_sequence < 1'000; ++d.allocation_sequence) {
    ASSERT_THAT(allocation_uuid(d),
                testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
}

// A journal replayed by a later release must give the same UUIDs.
TEST(AllocationUuid, NeverChanges) { EXPECT_EQ(allocation_uuid(allocation()), "62ef5c48-6f60-817e-9428-ea469f2a2a23"); }

TEST(AllocationUuid, IsWrittenWhereTheCallerWants) {
  std::array<char, uuid_length> out{};
  write_allocation_uuid(allocation(), out);
  EXPECT_EQ(std::string_view(out.data(), out.size()), allocation_uuid(allocation()));
}

TEST(AllocationUuid, IsAnotherOneInAnotherRegistration) {
  decision_view d = allocation();
  std::set<std::string> all{allocation_uuid(d)};
  for (d.epoch = 1; d.epoch < 100; ++d.epoch) EXPECT_TRUE(all.insert(allocation_uuid(d)).second);
}

TEST(AllocationUuid, ComesFromPartitionApplicationKeySequenceAndEpochAlone) {
  const std::string uuid = allocation_uuid(allocation());
  decision_view d = allocation();
  d.sequence = 1;
  d.now_ms = 2;
  d.what = decided::released{termination::timeout, {cause::given, "gone"}, {}};
  d.placeholder = true;
  d.node = "node-2";
  d.queue = "root.b";
  EXPECT_EQ(allocation_uuid(d), uuid) << "the release names what the allocation was called";

  std::set<std::string> others{uuid};
  const auto differs = [&](auto change) {
    decision_view other = allocation();
    change(other);
    EXPECT_TRUE(others.insert(allocation_uuid(other)).second);
  };
  differs([](decision_view &o) { o.partition = "[rm-2]default"; });
  differs([](decision_view &o) { o.application = "app-2"; });
  differs([](decision_view &o) { o.key = "ask-2"; });
  differs([](decision_view &o) { o.allocation_sequence = 8; });
}

TEST(AllocationUuid, ABoundaryBetweenTextsCounts) {
  decision_view a = allocation(), b = allocation();
  a.application = "app-1a";
  a.key = "sk";
  b.application = "app-1";
  b.key = "ask";
  EXPECT_NE(allocation_uuid(a), allocation_uuid(b));
}

TEST(AllocationUuid, ManyAllocationsHaveManyUuids) {
  std::set<std::string> uuids;
  decision_view d = allocation();
  for (int application = 0; application < 100; ++application) {
    const std::string id = "app-" + std::to_string(application);
    d.application = id;
    for (d.allocation_sequence = 1; d.allocation_sequence <= 1'000; ++d.allocation_sequence) {
      uuids.insert(allocation_uuid(d));
    }
  }
  EXPECT_EQ(uuids.size(), 100'000U);
}

}  // namespace
}  // namespace tenon
