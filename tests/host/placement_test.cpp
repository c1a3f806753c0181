// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A placement rule of somebody else's, from its name in queues.yaml to the queue of an application; and what becomes
// of its faults.
#include <gtest/gtest.h>

#include "fixture_folder.hpp"
#include "refusal_matchers.hpp"
#include "tenon/config/queues.hpp"
#include "tenon/kernel/built_in_policies.hpp"
#include "tenon/kernel/kernel.hpp"

namespace tenon::host {
namespace {

using testing::fixture_folder;
using ::testing::HasSubstr;
using testing::refusal_parts;
using testing::refuses;

constexpr std::string_view rules = R"(
partitions:
  - name: default
    placementrules:
      - name: Acme-LDAP
        value: team
        create: true
        parent: { name: fixed, value: people, create: true }
      - name: provided
    queues:
      - name: root
        submitacl: '*'
        queues: [ { name: rest }, { name: home } ]
)";

// Where the module lives, as its entry says.
class AcmeRule : public ::testing::TestWithParam<const char *> {
 protected:
  AcmeRule() {
    modules_.options.built_in_modules.clear();  // those of the build
    modules_.options.check_calls = true;
    modules_.options.on_fault = [this](const module_fault &fault) { faults_.push_back(fault.slot + " " + fault.text); };
    modules_.install("acme_ldap", {.interface = TENON_PLACEMENT_RULE,
                                   .name = "acme-ldap",
                                   .more = "config: { type: object, properties: { value: { type: string } } }\n"});
  }

  void open(const std::string &entry = "") {
    const std::string lane = std::string("isolation: ") + GetParam();
    auto opened = modules_.open({"acme_ldap"}, entry.empty() ? lane : lane + ", " + entry);
    ASSERT_TRUE(opened) << opened.why().text();
    host_ = std::move(*opened);
  }

  // What the kernel says to a registration with this text.
  std::string start(std::string_view text = rules) {
    config::parse_options options;
    options.known = host_->known();
    auto parsed = config::parse_queues_yaml(text, "queues.yaml", options);
    if (!parsed) return parsed.why().text();
    const role_guard cycle(thread_role::cycle);
    kernel_.emplace(*host_);
    return run(register_rm{"rm", "1", "default", &*parsed});
  }
  std::string run(const command &c) {
    const role_guard cycle(thread_role::cycle);
    kernel_->apply(1'000, c);
    std::string out;
    kernel_->drain([&](const decision_view &d) {
      if (out.empty()) out = d.queue.empty() ? text_of(d) : std::string(d.queue);
    });
    return out;
  }
  // The queue of an application of this user, or why it has none.
  std::string place(std::string_view user) {
    add_application c;
    c.partition = "[rm]default";
    const std::string id = "app-" + std::to_string(++applications_);
    c.application = id;
    c.queue = "root.rest";
    c.user = user;
    return run(c);
  }

  fixture_folder modules_;
  std::vector<std::string> faults_;
  std::unique_ptr<module_host> host_;
  std::optional<kernel> kernel_;
  int applications_ = 0;
};

TEST_P(AcmeRule, NamedInQueuesYamlPlacesApplications) {
  open();
  ASSERT_EQ(start(), "");
  EXPECT_EQ(place("alice"), "root.people.team-alice");
  EXPECT_EQ(place("high"), "root.tower.top");
  EXPECT_EQ(place("stranger"), "root.rest");
  EXPECT_TRUE(faults_.empty());
}

TEST_P(AcmeRule, LooksUpQueues) {
  open();
  ASSERT_EQ(start(), "");
  EXPECT_EQ(place("mover"), "root.home");
  std::string without(rules);
  without.replace(without.find(", { name: home }"), 16, "");
  ASSERT_EQ(start(without), "");
  EXPECT_EQ(place("mover"), "root.rest");
}

TEST_P(AcmeRule, RefusesInItsWordsAsOneLineOfUtf8) {
  open();
  ASSERT_EQ(start(), "");
  EXPECT_EQ(
      place("banned"),
      "failed to place application app-1: placement rule acme-ldap refused the application: the directory says no?");
  EXPECT_TRUE(faults_.empty());
}

TEST_P(AcmeRule, FaultIsCountedAndTheNextRuleAsked) {
  open();
  ASSERT_EQ(start(), "");
  for (const char *user : {"broken", "odd", "long"}) EXPECT_EQ(place(user), "root.rest") << user;
  EXPECT_THAT(faults_, ::testing::ElementsAre("place gave INTERNAL", "place gave the unknown status 99",
                                              HasSubstr("longer than the room")));
  EXPECT_EQ(kernel_->counters().policy_faults, 3U);
  for (const module_counters &one : host_->counters()) EXPECT_EQ(one.faults, one.id == "test.acme-ldap" ? 3U : 0U);
  if (GetParam() != std::string_view("process")) return;
  EXPECT_EQ(place("behind"), "root.rest");
  EXPECT_THAT(faults_.back(), HasSubstr("behind the end"));
}

TEST_P(AcmeRule, FullPathThatIsNoneIsAFaultThatTheKernelCounts) {
  open();
  ASSERT_EQ(start(), "");
  EXPECT_EQ(place("low"), "root.rest");
  EXPECT_EQ(kernel_->counters().policy_faults, 1U);
}

TEST_P(AcmeRule, UncheckedCallsGiveTheSame) {
  modules_.options.check_calls = false;
  open();
  ASSERT_EQ(start(), "");
  EXPECT_EQ(place("alice"), "root.people.team-alice");
  EXPECT_EQ(place("long"), "root.rest");
  EXPECT_EQ(faults_.size(), 1U);
}

TEST_P(AcmeRule, ConfigurationThatItRefusesRefusesTheRegistration) {
  open();
  std::string without(rules);
  without.replace(without.find("value: team"), 11, "create: yes");
  without.replace(without.find("create: true"), 12, "");
  EXPECT_THAT(start(without), HasSubstr("registration of RM failed: placement-rule 'acme-ldap': create gave "
                                        "INVALID_CONFIG: no directory"));
}

TEST_P(AcmeRule, ConfigurationOfTheDeploymentIsTheBase) {
  open("config: { value: crew }");
  std::string without(rules);
  without.replace(without.find("        value: team\n"), 20, "");
  ASSERT_EQ(start(without), "");
  EXPECT_EQ(place("alice"), "root.people.crew-alice");
}

TEST_P(AcmeRule, NotInTheDeploymentItsNameIsUnknown) {
  auto opened = open_deployment(modules_.folder.write("tenon.yaml", "apiVersion: tenon/v1\n"), modules_.options);
  ASSERT_TRUE(opened);
  host_ = std::move(*opened);
  EXPECT_FALSE(host_->provides(module_kind::placement_rule, "acme-ldap"));
  EXPECT_THAT(start(), HasSubstr("invalid rule name Acme-LDAP"));
  std::string identifier(rules);
  identifier.replace(identifier.find("Acme-LDAP"), 9, "acme_ldap");
  EXPECT_THAT(start(identifier), HasSubstr("unknown rule name specified acme_ldap"));
}

TEST_P(AcmeRule, KnownIsWhatTheDeploymentProvides) {
  open();
  const auto known = host_->known();
  for (const kind_entry &kind : module_kinds) {
    if (!config::named_by_queues(kind)) {
      EXPECT_FALSE(known[kind.kind]) << kind.name();
      continue;
    }
    std::vector<std::string> names;
    for (const built_in_policy &one : built_in_policies)
      if (one.kind == kind.kind) names.emplace_back(one.name);
    if (kind.kind == module_kind::placement_rule) names.emplace_back("acme-ldap");
    // Built where its library is there.
    if (kind.kind == module_kind::identity && host_->catalog().find("tenon.identity-ldap") != nullptr)
      names.emplace_back("ldap");
    EXPECT_THAT(*known[kind.kind], ::testing::UnorderedElementsAreArray(names)) << kind.name();
  }
}

INSTANTIATE_TEST_SUITE_P(InEachLane, AcmeRule, ::testing::Values("none", "process"),
                         [](const auto &lane) { return std::string(lane.param); });

}  // namespace
}  // namespace tenon::host
