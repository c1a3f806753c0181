// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Which asks a predicate at fault holds back.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "fault_fixture.hpp"
#include "guards/guarded_policy.hpp"

namespace tenon::host {
namespace {

using testing::Fault;
using testing::fixture_manifest;

constexpr char reads_tags[] = "filter_fails_tags";
constexpr std::string_view no_tag;

class PredicateAtFault : public Fault {
 protected:
  // A module that is loaded and fails at each call. `tags` is its manifest's schema of tags; empty: none.
  void fail(const std::string &action, const std::string &tags = "") {
    fixture_manifest manifest;
    manifest.interface = TENON_PREDICATE;
    if (!tags.empty()) manifest.more = "tags: " + tags + "\n";
    modules_.install(reads_tags, manifest);
    auto host = modules_.open({reads_tags}, "on_fault: " + action);
    ASSERT_TRUE(host) << host.why().text();
    host_ = std::move(*host);
    auto policy = host_->bind(module_kind::predicate, "fixture", "{}", 16);
    ASSERT_TRUE(policy) << policy.why().text();
    policy_ = std::move(*policy);
  }
  // A module in quarantine.
  void quarantine(fault_action action, std::string_view tags) {
    const auto tally = std::make_shared<module_tally>();
    tally->id = "test.tags";
    tally->version = "1";
    tally->action = action;
    tally->on_fault = [](const module_fault &) {};
    policy_ = make_quarantined_policy(module_kind::predicate, {TENON_PREDICATE, "tags", 1}, tally, "is away",
                                      boost::json::parse(tags).as_object());
  }

  // Returns true if an ask with this tag may go on.
  bool passes(std::string_view tag) {
    const role_guard cycle(thread_role::cycle);
    const tenon_text key{tag.data(), tag.size()}, value{"x", 1};
    const tenon_text_map tags{&key, &value, tag.empty() ? 0U : 1U};
    const tenon_column column{sizeof column, TENON_COLUMN_TEXT_MAP, &tags, nullptr, 0, 0, 0};
    tenon_batch in = batch();
    in.columns = &column;
    in.column_count = static_cast<uint32_t>(policy_->columns.size());
    in.column_stride = sizeof column;
    verdicts_.fill(TENON_FAIL);
    tenon_filter_out out{sizeof out, 0, verdicts_.data(), reasons_.data()};
    const tenon_status status = policy_->predicate->filter(policy_->instance, &in, &out);
    if (status != TENON_OK) return false;
    EXPECT_THAT(verdicts_, ::testing::Each(TENON_PASS));
    return true;
  }
};

TEST_F(PredicateAtFault, WithOnlyHoldsAsksWithATagThatItsManifestNames) {
  fail("only", "{ type: object, properties: { acme/model: {} }, patternProperties: { '^si/': {} } }");
  EXPECT_FALSE(passes("acme/model"));
  EXPECT_FALSE(passes("si/zone"));
  EXPECT_TRUE(passes("other"));
  EXPECT_TRUE(passes(no_tag));
}

TEST_F(PredicateAtFault, WithOnlyHoldsAsksWithAnyTagIfItsManifestNamesNone) {
  fail("only");
  EXPECT_FALSE(passes("other"));
  EXPECT_TRUE(passes(no_tag));
}

TEST_F(PredicateAtFault, WithOnlyHoldsAllAsksIfItReadsNoTags) {
  open("filter_fails", module_kind::predicate, "on_fault: only");
  EXPECT_FALSE(passes(no_tag));
}

TEST_F(PredicateAtFault, WithClosedHoldsAllAsks) {
  fail("closed");
  EXPECT_FALSE(passes("other"));
  EXPECT_FALSE(passes(no_tag));
}

TEST_F(PredicateAtFault, InQuarantineWithOnlyHoldsAsksWithATagThatItsManifestNames) {
  quarantine(fault_action::only, R"({"properties": {"acme/model": {}}, "patternProperties": {"^si/": {}}})");
  EXPECT_FALSE(passes("acme/model"));
  EXPECT_FALSE(passes("si/zone"));
  EXPECT_TRUE(passes("other"));
  EXPECT_TRUE(passes(no_tag));
}

TEST_F(PredicateAtFault, InQuarantineWithOnlyHoldsAllAsksIfItsManifestNamesNoTags) {
  quarantine(fault_action::only, R"({"type": "object"})");
  EXPECT_FALSE(passes("other"));
  EXPECT_FALSE(passes(no_tag));
}

TEST_F(PredicateAtFault, InQuarantineWithClosedHoldsAllAsks) {
  quarantine(fault_action::closed, R"({"properties": {"acme/model": {}}})");
  EXPECT_FALSE(passes("other"));
  EXPECT_FALSE(passes(no_tag));
}

}  // namespace
}  // namespace tenon::host
